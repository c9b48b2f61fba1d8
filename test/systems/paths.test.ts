import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { loadPaths } from "../../src/load/from-files.ts";
import { buildCluster } from "../../src/model/build.ts";
import { endpointsOf } from "../../src/route/build.ts";
import type { Endpoint, Hop } from "../../src/systems/endpoint.ts";
import type { Knob } from "../../src/systems/knobs.ts";

// For each way of serving, the objects its controllers really make (label by label), and beside them the path that is to
// be found: every part, its owner, and the field that sets its replicas, budget and spread. `none` has no endpoint.

const here = import.meta.dirname;
const names = readdirSync(here).filter((name) => existsSync(join(here, name, "cluster.yaml")));

for (const name of names) {
  test(`the path of ${name}`, () => {
    const cluster = buildCluster(loadPaths([join(here, name, "cluster.yaml")]));
    assert.deepEqual(cluster.problems, []);
    const { endpoints, supporting, notes } = endpointsOf(cluster);
    assert.deepEqual(notes, []);
    const lines = [...endpoints.flatMap(endpointLines), ...(supporting.length > 0 ? supportingLines(supporting) : [])];
    assert.deepEqual(
      lines,
      readFileSync(join(here, name, "path.txt"), "utf8")
        .split("\n")
        .slice(0, -1),
    );
  });
}

function endpointLines({ system, namespace, name, model, hops, notModelled, idle }: Endpoint): readonly string[] {
  return [
    `${system} ${namespace}/${name}${model === "" ? "" : ` serves ${model}`}${idle ? ", idle" : ""}`,
    ...hops.flatMap(hopLines),
    ...notModelled.map(({ what, ref, couldChange }) => `  ! ${ref}: ${what} (${couldChange})`),
  ];
}

function supportingLines(hops: readonly Hop[]): readonly string[] {
  return ["supporting", ...hops.map(({ hop, component, ref }) => `  ${hop} ${component}: ${refText(ref)}`)];
}

function hopLines(hop: Hop): readonly string[] {
  const { component, role, ref, owner, knobs, needed, leaderElected, outside } = hop;
  const head = `  ${hop.hop}${role === "" ? "" : `(${role})`} ${component}: ${refText(ref)}`;
  if (outside !== "") return [`${head}, outside: ${outside}`];
  return [
    `${head}${countText(hop)}${needed ? "" : ", not needed"}${leaderElected ? ", one leader" : ""}`,
    ...(owner === null ? [] : [`    owner ${refText(owner)}`]),
    `    replicas ${knobText(knobs.replicas)}`,
    `    budget ${knobText(knobs.budget)}`,
    `    spread ${knobText(knobs.spread)}`,
  ];
}

function countText({ desired, unit }: Hop): string {
  if (desired === null) return "";
  return unit.kind === "group" ? ` x${desired} groups of ${unit.size}` : ` x${desired}`;
}

function refText({ kind, namespace, name }: Hop["ref"]): string {
  return namespace === "" ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
}

function knobText(knob: Knob): string {
  switch (knob.by) {
    case "field":
      return `${refText(knob.target)} ${knob.path}`;
    case "text":
      return `${refText(knob.target)} ${knob.key}: ${knob.path}`;
    case "helm":
      return `Helm value ${knob.value}`;
    case "budget":
      return "of its own";
    case "code":
      return `code: ${knob.what}`;
    case "none":
      return "none";
  }
}
