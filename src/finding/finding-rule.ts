import type { Source } from "../base/problem.ts";
import type { Finding, Severity } from "./finding.ts";
import { few } from "./knob-text.ts";
import { breaksLines, shownLines } from "./outcome.ts";
import type { Scene, Stop } from "./scene.ts";

/** `message`: what is so and why it matters. `remedy`: what to do. Whole sentences. */
export interface Words {
  readonly message: string;
  readonly remedy: string;
}

/** Message id → its text, made from facts. */
type Messages = { readonly [id: string]: (facts: never) => Words };

/** Where a finding is, and how bad. */
interface About {
  readonly severity: Severity;
  readonly evidence?: readonly string[];
  readonly source?: Source | null;
  /** Tell where it breaks and not where it holds, and of the what-ifs it would break in. */
  readonly breaks?: boolean;
  /** What the scenarios showed has nothing to do with it. */
  readonly quiet?: boolean;
}

export interface Say<M extends Messages> {
  /** About a part of the path. What the scenarios showed of it is added to the evidence. */
  of<Id extends keyof M & string>(stop: Stop, about: About, id: Id, facts: Parameters<M[Id]>[0]): Finding;
  /** About several parts that share one cause: told once. */
  ofAll<Id extends keyof M & string>(
    stops: readonly Stop[],
    about: Omit<About, "breaks" | "quiet">,
    id: Id,
    facts: Parameters<M[Id]>[0],
  ): Finding;
  /** About anything else. */
  about<Id extends keyof M & string>(
    at: About & { readonly endpoint: string; readonly component: string },
    id: Id,
    facts: Parameters<M[Id]>[0],
  ): Finding;
}

export interface FindingRule {
  readonly name: string;
  readonly code: string;
  /** What it is about, half a line. */
  readonly title: string;
  /** The page of `holdfast explain`: what, why, how it is seen, what to do; paragraphs parted by an empty line. */
  readonly explain: string;
  readonly messages: Messages;
  look(scene: Scene): readonly Finding[];
}

/** Makes a rule whose messages are checked: an unknown id or a missing fact is a type error. */
export function findingRule<M extends Messages>(rule: {
  readonly name: string;
  readonly code: string;
  readonly title: string;
  readonly explain: string;
  readonly messages: M;
  look(scene: Scene, say: Say<M>): readonly Finding[];
}): FindingRule {
  const words = (id: string, facts: unknown): Words =>
    rule.messages[id]?.(facts as never) ?? { message: "", remedy: "" };
  const { name, code } = rule;
  const say: Say<M> = {
    of: (stop, { severity, evidence, source, breaks, quiet }, id, facts) => ({
      ...{ rule: name, code, id, severity },
      endpoint: endpointOf(stop),
      component: labelOf(stop),
      ...words(id, facts),
      evidence: [
        ...(evidence ?? []),
        ...severalOf(stop),
        ...(quiet === true ? [] : breaks === true ? breaksLines(stop.shown) : shownLines(stop.shown)),
      ],
      source: source ?? stop.workload?.source ?? null,
    }),
    ofAll: (stops, { severity, evidence, source }, id, facts) => ({
      ...{ rule: name, code, id, severity },
      endpoint: sameOf(stops.map(endpointOf)),
      component: sameOf(stops.map(labelOf)),
      ...words(id, facts),
      evidence: evidence ?? [],
      source: source ?? stops[0]?.workload?.source ?? null,
    }),
    about: ({ severity, evidence, source, endpoint, component }, id, facts) => ({
      ...{ rule: name, code, id, severity, endpoint, component },
      ...words(id, facts),
      evidence: evidence ?? [],
      source: source ?? null,
    }),
  };
  return { ...rule, look: (scene) => rule.look(scene, say) };
}

/** `Deployment ns/name` */
export function labelOf({ hop }: Stop): string {
  return `${hop.ref.kind} ${hop.ref.namespace}/${hop.ref.name}`;
}

/** As a sentence begins: `Endpoint picker (ns/name)`. */
export function nameOf({ hop }: Stop): string {
  return `${hop.component} (${hop.ref.namespace}/${hop.ref.name})`;
}

/** Of several parts, each once. */
export function namesOf(stops: readonly Stop[]): string {
  return few([...new Set(stops.map(nameOf))]);
}

/** What all of them say; "" where they differ. */
function sameOf(texts: readonly string[]): string {
  const [first, second] = new Set(texts);
  return second === undefined ? (first ?? "") : "";
}

function endpointOf({ endpoints }: Stop): string {
  const [first] = endpoints;
  return first === undefined || endpoints.length > 1 ? "" : `${first.namespace}/${first.name}`;
}

function severalOf({ endpoints }: Stop): readonly string[] {
  if (endpoints.length < 2) return [];
  return [`on the path of ${endpoints.map(({ namespace, name }) => `${namespace}/${name}`).join(", ")}`];
}
