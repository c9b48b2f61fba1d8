import assert from "node:assert/strict";
import { test } from "node:test";
import { amounts, cluster, node, pod, template } from "../../test/support/tiny.ts";
import { Journal } from "../sim/journal.ts";
import { Ledger } from "../sim/ledger.ts";
import { scarceOn } from "./nodes.ts";

const wants = template("m", { requests: amounts({ milliCpu: 1000 }, { "nvidia.com/gpu": 1 }) });
const size = (milliCpu: number, gpus: number) => ({
  allocatable: amounts({ milliCpu }, { "nvidia.com/gpu": gpus }),
});
const lacking = (...nodes: readonly ReturnType<typeof node>[]): string => {
  const pods = [pod("full", { nodeName: "full" })];
  return scarceOn([...new Ledger(cluster({ nodes, pods }), new Journal()).nodes], wants);
};

test("what is missing is told: the accelerator where all lack it, else what each lacks", () => {
  const none = node("none", size(8000, 0));
  const small = node("small", size(500, 0));
  const slow = node("slow", size(500, 8));
  const full = node("full", { ...size(8000, 8), podsMax: 1 });
  assert.equal(lacking(none, small), "1 nvidia.com/gpu");
  assert.equal(lacking(slow), "CPU");
  assert.equal(lacking(full), "room for one more pod");
  assert.equal(lacking(none, slow), "1 nvidia.com/gpu and CPU");
});
