import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { withFields } from "../../src/patch/apply-edits.ts";
import { refOf } from "../../src/patch/kept-objects.ts";
import { projected } from "../../src/systems/projections/projection.ts";
import { projectionOf } from "../../src/systems/projections/registry.ts";
import { changedPaths, pathSteps, sameJson, valueAt, withValue } from "../../src/wire/object-path.ts";
import type { Json, WireObject } from "../../src/wire/snapshot.ts";

// Owners and what running controllers made of them. Envoy Gateway's are in test/confirmed, see confirmed.test.ts.

interface Recorded {
  readonly owners: readonly WireObject[];
  /** Owner → names of what was made of it. */
  readonly made: { readonly [owner: string]: readonly string[] };
  readonly objects: { readonly [name: string]: WireObject };
  readonly edits: readonly {
    readonly owner: string;
    readonly set: string;
    readonly value: Json;
    readonly arrives: readonly [name: string, path: string];
  }[];
}

const recorded: Recorded = JSON.parse(readFileSync(join(import.meta.dirname, "real-objects", "kserve.json"), "utf8"));

describe("KServe", () => {
  for (const owner of recorded.owners) {
    const { name } = refOf(owner);
    test(`what ${owner.kind} ${name} states stands in what was made of it`, () => {
      let stated = 0;
      for (const made of madeOf(name)) {
        const projection = projectionOf(refOf(owner));
        const ways = projection?.ways(made, owner.apiVersion) ?? [];
        assert.ok(ways.length > 0, `${String(made.metadata["name"])} is one of its workloads`);
        for (const { from, to, shape } of ways) {
          const value = valueAt(owner, pathSteps(from));
          if (value === undefined || to === "") continue;
          stated += 1;
          const arrived = valueAt(made, pathSteps(to));
          assert.ok(sameJson(shape === null ? value : shape.toWorkload(value), arrived), `${from} is in ${to}`);
        }
      }
      assert.equal(stated > 0, name !== "qwen-auto");
    });
  }

  for (const { owner: name, set, value, arrives } of recorded.edits) {
    const [where, path] = arrives;
    test(`${name} ${set} arrives in ${where} ${path}, and nowhere else`, () => {
      const before = recorded.owners.find((owner) => refOf(owner).name === name);
      assert.ok(before);
      const after = withFields(before, [{ path: set, value }]);
      const projection = projectionOf(refOf(before));
      assert.ok(projection);
      for (const made of madeOf(name)) {
        const workload = projected(projection, { before, after }, made);
        const isThere = made.metadata["name"] === where;
        if (isThere) assert.deepEqual(valueAt(workload, pathSteps(path)), value);
        const changed = changedPaths(made, workload);
        assert.ok(
          changed.every((each) => isThere && (each === path || each.startsWith(`${path}.`))),
          changed.join(" "),
        );
      }
    });
  }
});

interface Pair {
  readonly owner: WireObject;
  readonly roleSet: WireObject;
  readonly podSet: WireObject;
}

describe("AIBrix", () => {
  // What its controllers' own code (v0.7.0) renders of a StormService, and of the same one after edits of two roles.
  const { before, after }: { readonly before: Pair; readonly after: Pair } = JSON.parse(
    readFileSync(join(import.meta.dirname, "real-objects", "aibrix.json"), "utf8"),
  );
  const through = (owner: "owner" | "roleSet", made: "roleSet" | "podSet"): Json | undefined => {
    const projection = projectionOf(refOf(before[owner]));
    assert.ok(projection);
    return projected(projection, { before: before[owner], after: after[owner] }, before[made])["spec"];
  };

  test("edits of a StormService's roles arrive in its RoleSets, its number of sets in none", () => {
    assert.deepEqual(through("owner", "roleSet"), after.roleSet["spec"]);
  });

  test("and in the PodSets of a role of several pods a unit, through the RoleSet too", () => {
    // Its controller writes a hash of the template into the environment.
    const apart = (spec: Json | undefined): Json | null =>
      withValue(spec, pathSteps("template.spec.containers"), undefined);
    for (const owner of ["owner", "roleSet"] as const)
      assert.deepEqual(apart(through(owner, "podSet")), apart(after.podSet["spec"]));
  });
});

function madeOf(owner: string): readonly WireObject[] {
  return (recorded.made[owner] ?? []).flatMap((name) => recorded.objects[name] ?? []);
}
