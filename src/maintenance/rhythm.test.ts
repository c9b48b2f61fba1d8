import { rows } from "../../test/support/rows.ts";
import { kubectlDrain } from "./actors/kubectl-drain.ts";
import { kured } from "./actors/kured.ts";
import { openshiftMco } from "./actors/openshift-mco.ts";
import { nextTryMs } from "./rhythm.ts";

const s = (seconds: number): number => seconds * 1_000;
const at = (actor: typeof kubectlDrain, nowMs: number): number =>
  nextTryMs(actor.drain, { fromMs: 0, firstMs: 0, nowMs });

rows("kubectl asks every five seconds", (nowMs: number) => at(kubectlDrain, nowMs), [
  ["after the first try", 0, s(5)],
  ["between two", s(7), s(10)],
  ["on a beat: the next one", s(10), s(15)],
]);

rows("kured asks at once", (nowMs: number) => at(kured, nowMs), [["whenever", s(7), s(7)]]);

// openshift/machine-config-operator pkg/controller/drain/drain_controller.go: attempts of 90 s, then 1 min, after 10 min 5 min.
rows("the Machine Config Operator asks in attempts", (nowMs: number) => at(openshiftMco, nowMs), [
  ["within the first", s(12), s(15)],
  ["its last try", s(84), s(85)],
  ["then a minute's pause", s(85), s(150)],
  ["in the pause", s(100), s(150)],
  ["the second attempt", s(151), s(155)],
  ["the fifth begins before ten minutes are over", s(540), s(600)],
  ["it fails after ten minutes: five minutes' pause", s(690), s(990)],
  ["and again", s(1_080), s(1_380)],
]);
