import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../../scripts/sources.ts";
import { holdfast } from "./shell.ts";

/**
 * The table in which the people of the incident wrote down their serving path by hand, and what the incident itself told:
 * which parts a drain of one node took with it, and which waited with both nodes closed.
 */
const written: readonly (readonly [part: string, path: string, replicas: string, budget: string, survives: string])[] =
  [
    ["Endpoint picker", "yes", "1", "none", "no"],
    ["Cluster gateway proxy", "yes", "1", "none", "no"],
    ["CoreDNS", "yes", "2, both on one node", "minAvailable 1", "yes"],
    ["Modelplane collector", "no (metrics have a gap)", "1", "none", "no"],
    ["trust-manager", "no", "1 each", "none", "no"],
    ["cert-manager controller", "no", "1 each", "none", "no"],
    ["Envoy Gateway controller", "no", "1 each", "none", "no"],
    ["AI Gateway controller", "no", "1 each", "none", "no"],
    ["LWS controller", "no", "1 each", "none", "no"],
  ];

test("the incident's component table, line for line", async () => {
  const rows = await rowsOfTable();
  for (const [part, path, replicas, budget, survives] of written) {
    const row = rows.find(([parts]) => partsIn(parts).includes(part));
    assert.deepEqual(row?.slice(1, 6), [path, replicas, budget, "none", survives], part);
  }
});

test("and no part is told twice, nor one on the path that was not there but the engines", async () => {
  const rows = await rowsOfTable();
  const parts = rows.flatMap(([names]) => partsIn(names));
  assert.deepEqual(parts, [...new Set(parts)]);
  const known = written.map(([part]) => part);
  const more = rows.filter(([, path]) => path === "yes").flatMap(([names]) => partsIn(names).filter(isNew(known)));
  assert.deepEqual(more, ["Engine"]);
});

const isNew =
  (known: readonly string[]) =>
  (part: string): boolean =>
    !known.includes(part);

/** The cells of each row; a name that was broken over lines is whole again. */
async function rowsOfTable(): Promise<readonly (readonly string[])[]> {
  const { out } = await holdfast(["check", "-f", join(root, "examples", "modelplane-incident", "cluster")]);
  const lines = out.split("\n");
  const head = lines.findIndex((line) => line.trimStart().startsWith("COMPONENT "));
  const end = lines.findIndex((line, index) => index > head && /^ {2}\S[^:]*: /.test(line));
  const rows: string[][] = [];
  for (const line of lines.slice(head + 1, end)) {
    const [name = "", ...cells] = line.trim().split(/ {2,}/);
    const above = rows.at(-1);
    if (cells.length > 0) rows.push([name, ...cells]);
    else if (above !== undefined) above[0] = `${above[0]} ${name}`;
  }
  return rows;
}

function partsIn(names: string | undefined): readonly string[] {
  return (names ?? "").split(/, | and /);
}
