import type { Actor } from "../../maintenance/actor.ts";
import { actors } from "../../maintenance/registry.ts";
import { duration } from "../../report/scenario-document.ts";
import { counted } from "../../report/text.ts";
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
      { head: "What it does", items: deeds(actor) },
      { head: "Recognised by", items: actor.signs.map(signInWords) },
      { head: "How one sees it start", items: actor.signals },
      { head: "What holds it", items: actor.levers },
    ],
  }));
}

function deeds(actor: Actor): readonly string[] {
  const { drain } = actor;
  const closes = actor.close.by === "cordon" ? "cordons" : `taints with ${actor.close.key}:${actor.close.effect}`;
  const when = {
    all: "every node before the first drain",
    batch: "the nodes it works on together",
    node: "a node when its turn comes",
  };
  const after = {
    stays: "the node stays closed until a person opens it",
    reboots: `the node is away for about ${duration(actor.nodeDownMs)} and comes back open`,
    replaced: "a new node takes its place",
    removed: "the node is gone",
  };
  const hold = drain.holdsForMs === null ? "for ever" : duration(drain.holdsForMs);
  const then = {
    waits: "",
    fails: ", then gives up",
    deletes: ", then deletes what is left",
    "stops-machine": ", then stops the machine",
  };
  return [
    `${closes} ${when[actor.closeWhen]}`,
    `${counted(actor.nodesAtOnce, "node")} at once${actor.surgeNodes > 0 ? `, ${counted(actor.surgeNodes, "new node")} first` : ""}`,
    `a budget holds it ${hold}${then[drain.then]}`,
    `drains as with ${drain.flags.length === 0 ? "no flags" : drain.flags.join(" ")}`,
    `afterwards ${after[actor.afterDrain]}`,
  ];
}

/** `node label cloud.example/pool`: which sign, then its values. */
function signInWords(sign: Actor["signs"][number]): string {
  const words = sign.on.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const values = Object.entries(sign).flatMap(([field, value]) => (field === "on" ? [] : [String(value)]));
  return `${words} ${values.join(" ")}`;
}
