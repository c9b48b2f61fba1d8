import type { Actor, Surge } from "../../maintenance/actor.ts";
import { nodeCountText } from "../../maintenance/node-count.ts";
import { actors } from "../../maintenance/registry.ts";
import { duration } from "../../report/scenario-document.ts";
import { type Entry, showCatalog } from "../catalog.ts";
import type { Parsed } from "../flags.ts";
import type { Shell } from "../shell.ts";

export function runActors(parsed: Parsed, shell: Shell): Promise<number> {
  return showCatalog("actor", actorEntries(), parsed, shell);
}

export function actorEntries(): readonly Entry[] {
  return actors.map((actor) => ({
    name: actor.name,
    code: "",
    title: actor.title,
    paragraphs: [actor.description],
    facts: [
      { head: "What it does", items: actor.kind === "information" ? [] : deeds(actor) },
      { head: "Which pods", items: actor.kind === "information" ? [] : podsTaken(actor) },
      { head: "Recognised by", items: actor.signs.map(signInWords) },
      { head: "How one sees it start", items: actor.signals },
      { head: "What holds it", items: actor.levers },
      {
        head: "What changed",
        items: actor.changed.map(({ what, from, to, at }) => `${what}: ${from}, then ${to} (${at})`),
      },
      { head: "Left out", items: actor.notModelled },
      { head: "Read from", items: actor.sources.map(({ mark, from }) => `${from} (${markInWords[mark]})`) },
    ],
  }));
}

const markInWords = {
  A: "source",
  B: "documentation",
  C: "secondary",
  D: "inferred",
} as const;

function deeds(actor: Actor): readonly string[] {
  const when = {
    all: "every node before the first drain",
    batch: "the nodes it works on together",
    node: "a node when its turn comes",
  };
  const closes = closing(actor, when[actor.closeWhen]);
  const pools = {
    together: "of all named",
    independent: "of each pool; pools by themselves",
    "in-turn": "of a pool; one pool after the other",
  };
  const order = {
    any: "in any order",
    given: "in the order given",
    "zone-then-oldest": "by zone, the oldest first",
    name: "by name",
  };
  return [
    ...(actor.marks.length > 0 ? [`marks every node with ${actor.marks.map(taintInWords).join(", ")} first`] : []),
    closes === "" ? "closes no node" : closes,
    `nodes at once: ${nodeCountText(actor.nodesAtOnce)} ${pools[actor.pools]}; ${order[actor.order]}`,
    ...(actor.surge === null ? [] : [surging(actor.surge)]),
    ...(actor.usesUp.length === 0
      ? []
      : [
          `nodes that are ${actor.usesUp.map((what) => (what === "pressure" ? "short of disk or network" : what.replace("-", " "))).join(", ")} use up what it may take at once`,
        ]),
    ...(actor.passesOver.length === 0
      ? []
      : [`passes over nodes: ${actor.passesOver.map((rule) => passOverInWords(rule)).join("; ")}`]),
    holding(actor),
    `afterwards ${afterwards(actor)}`,
    ...(actor.onNodeFailure === "stops" ? ["a node that fails ends the whole maintenance"] : []),
  ];
}

/** `cordons a node when its turn comes, with taint …`; "" when it closes none. */
function closing({ close }: Actor, what: string): string {
  const taints = close.taints.map((taint) => `taint ${taintInWords(taint)}`);
  const marks = [...taints, ...(close.condition === "" ? [] : [`condition ${close.condition} True`])];
  if (close.cordon) return `cordons ${what}${marks.length === 0 ? "" : `, with ${marks.join(" and ")}`}`;
  return marks.length === 0 ? "" : `closes ${what} by ${marks.join(" and ")}, not by a cordon`;
}

function taintInWords({ key, value, effect }: Actor["marks"][number]): string {
  return `${key}${value === "" ? "" : `=${value}`}:${effect}`;
}

function surging({ nodes, when, joinMs, atEnd }: Surge): string {
  const joins = {
    "before-all": "join before any old one is closed",
    "before-each": "join one by one, each before an old one is closed",
    between: "join one by one, each after an old one is closed and before it is drained",
    "with-drain": "are ordered when a drain begins",
  };
  const leave = atEnd === "leave" ? ", and leave at the end" : "";
  return `new nodes: ${nodeCountText(nodes)}; they ${joins[when]}, about ${duration(joinMs)} after being ordered${leave}`;
}

function holding({ drain }: Actor): string {
  if (drain.by === "nobody") {
    const notice = drain.holdsForMs ?? 0;
    return notice === 0 ? "nobody asks the pods" : `nobody asks the pods; the machine goes after ${duration(notice)}`;
  }
  const then = {
    waits: "",
    fails: ", then gives up and leaves the node closed",
    reopens: ", then gives up and opens the node again",
    deletes: drain.deletesEarly ? "; pods are deleted so that they are gone by then" : ", then deletes what is left",
    "stops-machine": ", then the machine stops under what is left",
  };
  const grace = drain.deleteGraceMs === 0 ? " without grace" : "";
  if (drain.by === "kubelet") {
    return drain.holdsForMs === null
      ? "the kubelet ends pods, budgets are not asked"
      : `the kubelet ends pods for ${duration(drain.holdsForMs)}, budgets are not asked${then[drain.then]}`;
  }
  if (drain.flags.includes("--disable-eviction")) {
    return `deletes pods without asking budgets${drain.holdsForMs === null ? "" : ` for ${duration(drain.holdsForMs)}`}${then[drain.then]}`;
  }
  const hold = drain.holdsForMs === null ? "for ever" : `for ${duration(drain.holdsForMs)}`;
  const retry = drain.retryMs === 0 ? "at once" : `every ${duration(drain.retryMs)}`;
  const { attempts } = drain;
  const tries =
    attempts === null
      ? ""
      : `, in attempts of ${duration(attempts.lastMs)} with ${duration(attempts.pauseMs)} between` +
        (attempts.longPauseMs === attempts.pauseMs
          ? ""
          : ` (${duration(attempts.longPauseMs)} after ${duration(attempts.longAfterMs)})`);
  return `a budget holds it ${hold}, asked ${retry}${tries}${then[drain.then]}${grace}`;
}

function afterwards({ afterDrain, nodeDownMs }: Actor): string {
  switch (afterDrain) {
    case "stays":
      return "the node stays closed until a person opens it";
    case "opens":
      return nodeDownMs === 0 ? "the node is as before" : `the node is open again after ${duration(nodeDownMs)}`;
    case "reboots":
      return `the node is away for about ${duration(nodeDownMs)} and comes back open`;
    case "reboots-together":
      return `when all are drained, they are away together for about ${duration(nodeDownMs)} and come back open; when one is not, all stay closed`;
    case "replaced":
      return "a new node is in its place";
    case "removed":
      return "the node is gone";
    case "off":
      return "the machine is off and stays so";
    default:
      return "the machine is gone, and its Node a little later";
  }
}

function podsTaken({ drain }: Actor): readonly string[] {
  if (drain.by === "nobody") return [];
  if (drain.by === "kubelet") {
    const last = drain.then === "stops-machine" ? "critical ones last" : "critical ones stay";
    return [`DaemonSet and bare pods too, ${last}; at most ${duration(drain.graceMaxMs ?? 0)} of grace`];
  }
  const has = (flag: string): boolean => drain.flags.includes(flag);
  const daemons = drain.daemonSetPods === "evicted" ? "evicted" : has("--ignore-daemonsets") ? "skipped" : "refused";
  const bare =
    drain.barePods === "skipped" ? "skipped" : has("--force") ? "evicted, and lost" : "make it refuse the node";
  const local = has("--delete-emptydir-data") ? "evicted" : "make it refuse the node";
  const grace =
    drain.graceSetMs !== null
      ? `${duration(drain.graceSetMs)} whatever they ask for`
      : drain.graceMaxMs === null
        ? "the pod's own"
        : `the pod's own, at most ${duration(drain.graceMaxMs)}`;
  return [
    `DaemonSet pods ${daemons}; pods without a controller ${bare}; pods with emptyDir ${local}; static pods skipped`,
    ...(drain.sparesTolerating ? ["pods that tolerate its taint stay, and die with the machine"] : []),
    drain.asks === "by-name" ? "asked one after the other, by name" : "all of a node asked at once: any may be first",
    ...(drain.inWaves ? ["in waves: others, DaemonSet pods, critical pods, critical DaemonSet pods"] : []),
    ...(drain.volumesOneByOne ? ["pods with volumes one after the other"] : []),
    ...(drain.onNotReady === "deletes" ? ["of a node that is not Ready, all are deleted at once"] : []),
    ...(drain.onNotReady === "passes" ? ["of a node that is not Ready, none is waited for"] : []),
    ...drain.waitsForAnnotations.map(({ key, value }) => `waits for pods with ${key}: ${value}`),
    `grace: ${grace}`,
  ];
}

function passOverInWords(rule: Actor["passesOver"][number]): string {
  switch (rule.on) {
    case "unavailable":
      return "those that are not available themselves";
    case "nodeAnnotation":
    case "nodeLabel":
      return `with ${rule.key}${rule.value === null ? "" : `=${rule.value}`}`;
    case "podAnnotation":
      return `with a pod that has ${rule.key}${rule.value === null ? "" : `=${rule.value}`}`;
    case "podSelector":
      return `with a pod that matches ${rule.selector}`;
    case "budget":
      return "whose pods budgets do not let go now";
    case "barePod":
      return "with a pod that has no controller";
    case "localStorage":
      return "with a pod that has local storage";
    default:
      return `with a kube-system pod without a budget, younger than ${duration(rule.youngerThanMs)}`;
  }
}

/** `node label cloud.example/pool`: which sign, then its values. */
function signInWords(sign: Actor["signs"][number]): string {
  const words = sign.on.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const values = Object.entries(sign).flatMap(([field, value]) =>
    field === "on" || value === null || value === "" ? [] : [String(value)],
  );
  return `${words} ${values.join(" ")}`;
}
