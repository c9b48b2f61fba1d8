import assert from "node:assert/strict";
import { test } from "node:test";
import { service, servingCluster, workload } from "../../test/support/serving.ts";
import { endpointsOf } from "../route/build.ts";
import type { Hop } from "../systems/endpoint.ts";
import { breaksLines, type HopOutcome, severityOf, shownLines, shownOf } from "./outcome.ts";

const coreDns = workload("coredns", { namespace: "kube-system", podLabels: { "k8s-app": "kube-dns" } });
const things = [workload("m", { gpus: 1 }), service("m", { app: "m" }), coreDns];
const [endpoint] = endpointsOf(servingCluster(things)).endpoints;
assert.ok(endpoint);
const hopNamed = (name: string): Hop => {
  const hop = endpoint.hops.find((one) => one.hop === name);
  assert.ok(hop);
  return hop;
};

function shown(
  of: string,
  verdict: "unsafe" | "safe" | "stalls" | "undecided",
  hops: { readonly [name: string]: HopOutcome },
  partOfVerdict = true,
  closed: readonly string[] = [],
): ReturnType<typeof shownOf> {
  const outcome = {
    name: "s",
    partOfVerdict,
    verdicts: new Map([[endpoint ?? assert.fail(), verdict]]),
    hops: new Map(Object.entries(hops).map(([name, value]) => [hopNamed(name), value])),
    closedForGood: new Set(closed),
  };
  return shownOf(
    [outcome],
    [{ endpoint: endpoint ?? assert.fail(), hop: hopNamed(of) }],
    [{ name: "n1" }, { name: "n2" }],
  );
}

const down = { wasDown: true, stalled: false };
const waits = { wasDown: false, stalled: true };

test("the part that was down broke it, not its neighbour", () => {
  assert.deepEqual(shown("dns", "unsafe", { dns: down }).broke, ["s"]);
  assert.deepEqual(shown("engine", "unsafe", { dns: down }).broke, []);
});

test("with nothing down, too few engines were left", () => {
  assert.deepEqual(shown("engine", "unsafe", {}).broke, ["s"]);
  assert.deepEqual(shown("dns", "unsafe", {}).broke, []);
});

test("a gap the endpoint allows breaks nothing", () => {
  assert.deepEqual(shown("dns", "safe", { dns: down }).broke, []);
});

test("a drain that waits holds the maintenance, but not where that is undecided", () => {
  assert.deepEqual(shown("engine", "stalls", { engine: waits }).stalled, ["s"]);
  assert.deepEqual(shown("engine", "undecided", { engine: waits }).stalled, []);
});

test("what-ifs are kept apart", () => {
  const { broke, brokeWhatIf } = shown("dns", "unsafe", { dns: down }, false);
  assert.deepEqual([broke, brokeWhatIf], [[], ["s"]]);
});

test("a part that has nowhere to go is not what holds the maintenance", () => {
  const all = shown("dns", "stalls", { dns: waits }, true, ["n1", "n2", "n3"]);
  assert.deepEqual([all.stalled, all.closedOut], [[], ["s"]]);
  const some = shown("dns", "stalls", { dns: waits }, true, ["n1"]);
  assert.deepEqual([some.stalled, some.closedOut], [["s"], []]);
});

test("severity is what the scenarios showed, else what the rule says", () => {
  const broke = shown("dns", "unsafe", { dns: down });
  const stalled = shown("dns", "stalls", { dns: waits });
  assert.equal(severityOf(broke, "note", "broke"), "error");
  assert.equal(severityOf(stalled, "note", "broke"), "note");
  assert.equal(severityOf(stalled, "warning", "stalled"), "error");
  assert.equal(severityOf(broke, "warning", "stalled"), "warning");
  assert.equal(severityOf(stalled, "note", "either"), "error");
});

test("evidence names the scenarios", () => {
  assert.deepEqual(shownLines(shown("dns", "unsafe", { dns: down })), ["breaks in s"]);
  assert.deepEqual(shownLines(shown("dns", "stalls", { dns: waits })), ["holds the maintenance in s"]);
  const whatIf = shown("dns", "unsafe", { dns: down }, false);
  assert.deepEqual([shownLines(whatIf), breaksLines(whatIf)], [[], ["would break in s"]]);
  assert.deepEqual(breaksLines(shown("dns", "unsafe", { dns: down })), ["breaks in s"]);
  assert.deepEqual(breaksLines(shown("dns", "stalls", { dns: waits })), []);
});
