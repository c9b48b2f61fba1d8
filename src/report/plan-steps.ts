import { spokenSeconds } from "../base/words.ts";
import type { ObjectRef } from "../model/key.ts";
import type { Edit } from "../patch/edit.ts";
import { jsonPatchOf } from "../patch/json-patch.ts";
import type { KeptObjects } from "../patch/kept-objects.ts";
import { handFlags, type Runbook, type RunbookOutcome } from "../plan/runbook.ts";
import { pathSteps, valueAt, withValue } from "../wire/object-path.ts";
import type { Json, WireObject } from "../wire/snapshot.ts";
import { shellQuoted } from "./text.ts";
import type { PlanStep } from "./types.ts";

interface Input {
  readonly runbook: Runbook;
  readonly outcome: RunbookOutcome;
  readonly kept: KeptObjects;
  /** How long the slowest pod of a workload takes to start, ms. */
  startMs(ref: ObjectRef): number;
  /** The parts an owner keeps: what their pods carry, as kubectl's -l takes it, and how many there are as long as the plan lasts. */
  partsOf(ref: ObjectRef): readonly { readonly labels: string; readonly count: number }[];
}

type Draft = Omit<PlanStep, "n">;

/** The runbook as steps to follow by hand: every one with its command, what to see, and the way back. */
export function planSteps(input: Input): readonly PlanStep[] {
  const { runbook } = input;
  const drafts: readonly Draft[] = [
    ...runbook.first.map((ref) => firstStep(ref, input)),
    ...runbook.edits.flatMap((edit) => prepareSteps(edit, input)),
    ...(runbook.actor === null ? handSteps(input) : actorSteps(input)),
    ...runbook.edits.toReversed().flatMap((edit) => backSteps(edit, input)),
  ];
  return drafts.map((draft, index) => ({ n: index + 1, ...draft }));
}

function prepareSteps(edit: Edit, input: Input): readonly Draft[] {
  const forward = commandOf(edit, input.kept);
  const back = backCommandOf(edit, input.kept);
  if (edit.aspect === "budget") {
    const expect = `${named(edit.target)} is over ${named(edit.siteRef)}, ${numbersOf(edit)}`;
    return [{ do: "guard", ref: named(edit.target), command: forward, expect, atMostSeconds: null, undo: back }];
  }
  const held =
    edit.manager === "" || edit.holds === "live" ? "" : ` ${edit.manager} may put it back: hold it off meanwhile.`;
  return [
    {
      do: "scale",
      ref: named(edit.target),
      command: forward,
      expect: `${named(scaledOf(edit))} wants ${String(edit.value)} replicas.${held}`,
      atMostSeconds: null,
      undo: back,
    },
    waitStep(
      edit,
      `${String(edit.value)} of ${String(edit.value)} replicas of ${named(scaledOf(edit))} are Ready`,
      input,
    ),
  ];
}

/** What the budget states: a number of pods that may go, or that stay. */
function numbersOf({ act }: Edit): string {
  const stated = act.do === "create" ? valueAt(act.object, pathSteps("spec.minAvailable")) : undefined;
  return stated === undefined ? "maxUnavailable 1" : `minAvailable ${String(stated)}`;
}

/** Not all of it is Ready today: that comes before anything else. */
function firstStep(ref: ObjectRef, input: Input): Draft {
  const seconds = Math.ceil(input.startMs(ref) / 1000);
  return {
    do: "waitReady",
    ref: named(ref),
    command: readyCommand(ref, input),
    expect: `All of ${named(ref)} are Ready, which they are not today; a start takes up to ${spokenSeconds(seconds)}. If they do not come, stop here: nothing was drained yet.`,
    atMostSeconds: seconds,
    undo: "",
  };
}

/** Comes back when everything the object wants is Ready, or says what is missing. */
function readyCommand(ref: ObjectRef, input: Input): string {
  const { kind, namespace, name } = ref;
  const timeout = `--timeout=${Math.max(leastWaitSeconds, 2 * Math.ceil(input.startMs(ref) / 1000))}s`;
  if (keepsPods(ref)) return podsCommand(ref, timeout, input);
  if (["Deployment", "StatefulSet", "DaemonSet"].includes(kind))
    return `kubectl rollout status -n ${shellQuoted(namespace)} ${kind.toLowerCase()}/${shellQuoted(name)} ${timeout}`;
  return `kubectl wait ${objectWords(ref)} --for=condition=Available ${timeout}`;
}

const leastWaitSeconds = 120;

/** Owners of pods whose own status says nothing of one part of them. */
function keepsPods({ kind }: ObjectRef): boolean {
  return kind === "RayCluster" || kind === "RoleSet";
}

/** What has the number: of sets of roles what stands above them. */
function scaledOf({ siteRef, target }: Edit): ObjectRef {
  return keepsPods(siteRef) ? target : siteRef;
}

/** As many pods as are wanted, then all of them Ready. */
function podsCommand(ref: ObjectRef, timeout: string, input: Input): string {
  return input
    .partsOf(ref)
    .map(({ labels, count }) => {
      const pods = `-n ${shellQuoted(ref.namespace)} -l ${shellQuoted(labels)}`;
      return (
        `until [ "$(kubectl get pods ${pods} -o name | wc -l)" -ge ${count} ]; do sleep 2; done &&\n` +
        `kubectl wait pod ${pods} --for=condition=Ready ${timeout}`
      );
    })
    .join(" &&\n");
}

/** After each node: every part that was whole is whole again. */
function wholeStep(input: Input): Draft {
  const slowest = Math.max(0, ...input.runbook.whole.map((ref) => Math.ceil(input.startMs(ref) / 1000)));
  return {
    do: "waitReady",
    ref: "",
    command: wholeCommands(input).join(" &&\n"),
    expect: "Every part of the models' paths is whole again. Only then the next step.",
    atMostSeconds: slowest,
    undo: "",
  };
}

/** Its controller has taken the new number over; before that the old ones are all it wants. */
function arrivedCommand({ siteRef, target, value }: Edit): string {
  if ((siteRef.kind === target.kind && siteRef.name === target.name) || keepsPods(siteRef)) return "";
  const wanted = `--for=jsonpath='{.spec.replicas}'=${String(value)}`;
  return `kubectl wait ${objectWords(siteRef)} ${wanted} --timeout=120s &&\n`;
}

function wholeCommands(input: Input): readonly string[] {
  return input.runbook.whole.map((ref) => readyCommand(ref, input));
}

function waitStep(edit: Edit, expect: string, input: Input): Draft {
  const seconds = Math.ceil(input.startMs(edit.siteRef) / 1000);
  return {
    do: "waitReady",
    ref: named(edit.siteRef),
    command: `${arrivedCommand(edit)}${readyCommand(edit.siteRef, input)}`,
    expect: `${expect}; it takes up to ${spokenSeconds(seconds)}. If it does not come, step back: nothing was drained yet.`,
    atMostSeconds: seconds,
    undo: backCommandOf(edit, input.kept),
  };
}

function backSteps(edit: Edit, input: Input): readonly Draft[] {
  const command = backCommandOf(edit, input.kept);
  if (edit.aspect === "budget") {
    return [
      {
        do: "stepBack",
        ref: named(edit.target),
        command,
        expect: "the budget of the plan is gone",
        atMostSeconds: null,
        undo: commandOf(edit, input.kept),
      },
    ];
  }
  return [
    {
      do: "stepBack",
      ref: named(edit.target),
      command,
      expect: keepsPods(edit.siteRef)
        ? `${named(scaledOf(edit))} is back at its own number; any of its pods goes, not the ones that were added`
        : `${named(edit.siteRef)} is back at its own number; the youngest pod goes, not the one that was added`,
      atMostSeconds: null,
      undo: commandOf(edit, input.kept),
    },
  ];
}

function handSteps(input: Input): readonly Draft[] {
  const { runbook, outcome } = input;
  return runbook.nodes.flatMap(({ name }): readonly Draft[] => {
    const node = shellQuoted(name);
    const uncordon = `kubectl uncordon ${node}`;
    return [
      {
        do: "drain",
        ref: `Node ${name}`,
        command: `kubectl drain ${node} ${handFlags.join(" ")}`,
        expect: `node/${name} drained. Evictions may be refused for a time while replacements start: kubectl asks again by itself. If it takes much longer than that, stop it (Ctrl-C) and go back; its last message names the pod that is refused.`,
        atMostSeconds: Math.ceil((outcome.drainMs.get(name) ?? 0) / 1000),
        undo: uncordon,
      },
      {
        do: "wait",
        ref: `Node ${name}`,
        command: "",
        expect: `Do the work on ${name}. It was played as down for ${spokenSeconds(Math.ceil(runbook.nodeDownMs / 1000))}; longer only lengthens the window.`,
        atMostSeconds: Math.ceil(runbook.nodeDownMs / 1000),
        undo: "",
      },
      {
        do: "uncordon",
        ref: `Node ${name}`,
        command: `kubectl wait --for=condition=Ready node/${node} --timeout=15m && ${uncordon}`,
        expect: `${name} is Ready and takes pods again`,
        atMostSeconds: null,
        undo: "",
      },
      wholeStep(input),
    ];
  });
}

function actorSteps(input: Input): readonly Draft[] {
  const { runbook, outcome } = input;
  const { actor, nodes } = runbook;
  const names = nodes.map(({ name }) => name);
  const longest = Math.max(0, ...names.map((name) => outcome.drainMs.get(name) ?? 0));
  return [
    {
      do: "drain",
      ref: names.map((name) => `Node ${name}`).join(", "),
      command: "",
      expect: `Let ${actor?.title ?? "the maintenance"} do ${names.join(", ")}, in any order. No drain waits longer than ${spokenSeconds(Math.ceil(longest / 1000))} on the models' parts.`,
      atMostSeconds: outcome.windowMs === null ? null : Math.ceil(outcome.windowMs / 1000),
      undo: "",
    },
    {
      ...wholeStep(input),
      command: [`kubectl get nodes ${names.map(shellQuoted).join(" ")}`, ...wholeCommands(input)].join(" &&\n"),
      expect:
        "All nodes are Ready, none says SchedulingDisabled, and every part of the models' paths is whole again. Only then step back.",
    },
  ];
}

function named({ kind, namespace, name }: ObjectRef): string {
  return namespace === "" ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
}

function objectWords({ kind, apiVersion, namespace, name }: ObjectRef): string {
  const slash = apiVersion.indexOf("/");
  const group = slash < 0 ? "" : apiVersion.slice(0, slash);
  const isBuiltIn = ["", "apps", "policy", "autoscaling", "batch"].includes(group);
  const type = `${kind.toLowerCase()}${isBuiltIn ? "" : `.${group}`}`;
  return `${namespace === "" ? "" : `-n ${shellQuoted(namespace)} `}${shellQuoted(type)} ${shellQuoted(name)}`;
}

function commandOf(edit: Edit, kept: KeptObjects): string {
  const { act, target } = edit;
  switch (act.do) {
    case "set":
      return patchCommand(target, act.fields, kept.get(target));
    case "create":
      return `kubectl apply -f - <<'EOF'\n${JSON.stringify(act.object, null, 2)}\nEOF`;
    case "delete":
      return `kubectl delete ${objectWords(target)}`;
    case "helm":
      return `kubectl scale ${objectWords(edit.siteRef)} --replicas=${String(edit.value)}`;
    case "createWith":
    case "setText":
      return `kubectl scale ${objectWords(edit.siteRef)} --replicas=${String(edit.value)}`;
  }
}

function backCommandOf(edit: Edit, kept: KeptObjects): string {
  const { act, target } = edit;
  if (act.do === "create") return `kubectl delete ${objectWords(target)}`;
  if (act.do === "delete") return "";
  if (act.do === "set") {
    const object = kept.get(target);
    const before = act.fields.map(({ path }) => ({ path, value: valueAt(object, pathSteps(path)) ?? null }));
    return patchCommand(target, before, object);
  }
  const before = valueAt(kept.get(edit.siteRef), pathSteps("spec.replicas"));
  return `kubectl scale ${objectWords(edit.siteRef)} --replicas=${typeof before === "number" ? before : 1}`;
}

function patchCommand(
  target: ObjectRef,
  fields: readonly { readonly path: string; readonly value: Json }[],
  object: WireObject | undefined,
): string {
  const [only] = fields;
  if (fields.length === 1 && only?.path === "spec.replicas" && typeof only.value === "number" && isScalable(target)) {
    return `kubectl scale ${objectWords(target)} --replicas=${only.value}`;
  }
  if (fields.some(({ path }) => path.includes("[")) && object !== undefined) {
    const operations = jsonPatchOf(fields, object);
    return `kubectl patch ${objectWords(target)} --type=json -p ${shellQuoted(JSON.stringify(operations))}`;
  }
  let patch: Json = {};
  for (const { path, value } of fields) patch = withValue(patch, pathSteps(path), value) ?? patch;
  return `kubectl patch ${objectWords(target)} --type=merge -p ${shellQuoted(JSON.stringify(patch))}`;
}

function isScalable({ kind, apiVersion }: ObjectRef): boolean {
  return apiVersion.startsWith("apps/") || kind === "LeaderWorkerSet";
}
