import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { cluster, node } from "../../test/support/tiny.ts";
import { openshiftMco } from "../maintenance/actors/openshift-mco.ts";
import { Journal } from "./journal.ts";
import { lanesOf } from "./lanes.ts";
import { Ledger } from "./ledger.ts";
import { isUnavailable } from "./node-closing.ts";
import { unavailableNodes } from "./unavailable-nodes.ts";

const nodes = ["a", "b", "c"].map((name) => node(name));
const read = cluster({ nodes });

/** One change of a node; those that do not apply now do nothing. */
function act(ledger: Ledger, [kind, number]: readonly [number, number]): void {
  const known = nodes[number % nodes.length];
  if (known === undefined) return;
  const { name } = known;
  if (ledger.node(name) === undefined) ledger.addNode(known);
  else if (kind === 0) ledger.setUnschedulable(name, number % 2 === 0);
  else if (kind === 1) ledger.setNodeReady(name, number % 2 === 0);
  else if (kind === 2) ledger.removeNode(name);
}

test("those that use up what may be taken at once are the ones that a look at all of them finds", () => {
  const actions = fc.array(fc.tuple(fc.nat(2), fc.nat(20)), { maxLength: 12 });
  fc.assert(
    fc.property(actions, actions, (first, second) => {
      const ledger = new Ledger(read, new Journal());
      const [lane] = lanesOf(read, openshiftMco, nodes, "given");
      assert.ok(lane !== undefined && lane.actor.usesUp.length > 0);
      const check = (): void => {
        const all = ledger.nodes.filter((view) => isUnavailable(view, lane.actor.usesUp)).map(({ name }) => name);
        assert.deepEqual([...unavailableNodes(ledger, lane)].sort(), all.sort());
      };
      for (const action of first) act(ledger, action);
      check();
      const mark = ledger.journal.mark();
      for (const action of second) {
        act(ledger, action);
        check();
      }
      ledger.journal.undoTo(mark);
      check();
    }),
    { numRuns: 100 },
  );
});
