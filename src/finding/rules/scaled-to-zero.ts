import { findingRule } from "../finding-rule.ts";

/** An endpoint that is at zero by intent: not judged, and said so. */
export const scaledToZero = findingRule({
  name: "scaled-to-zero",
  code: "HF020",
  title: "Scaled to zero",
  explain: `All engines of the endpoint are wanted zero times, or the service says it is stopped. That is an intention, so the endpoint is not judged: there is nothing to take down. The first request after it waits for an engine to start, minutes for a large model, and finds none at all if the nodes are closed then.

It is a note.`,
  messages: {
    idle: (f: { endpoint: string }) => ({
      message: `${f.endpoint} is scaled to zero: it is not judged, and its first request waits for an engine to start.`,
      remedy: "Before a maintenance, decide whether it may be woken meanwhile; a minimum of 1 keeps it up.",
    }),
  },
  look: ({ endpoints }, say) =>
    endpoints
      .filter(({ idle }) => idle)
      .map(({ namespace, name, ref }) =>
        say.about(
          { severity: "note", endpoint: `${namespace}/${name}`, component: `${ref.kind} ${ref.namespace}/${ref.name}` },
          "idle",
          { endpoint: `${namespace}/${name}` },
        ),
      ),
});
