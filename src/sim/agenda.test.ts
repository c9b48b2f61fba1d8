import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Agenda, type Appointment } from "./agenda.ts";
import { Journal } from "./journal.ts";

const actions = fc.array(fc.record({ takes: fc.boolean(), atMs: fc.nat(5), at: fc.nat(20) }), { maxLength: 30 });

test("what is added comes in the order of time and number, and undoing gives back what was", () => {
  fc.assert(
    fc.property(actions, actions, (first, second) => {
      const journal = new Journal();
      const agenda = new Agenda(journal);
      let plain: readonly Appointment[] = [];
      let seq = 0;
      const act = ({
        takes,
        atMs,
        at,
      }: {
        readonly takes: boolean;
        readonly atMs: number;
        readonly at: number;
      }): void => {
        seq += 1;
        const item = takes ? plain[at] : { atMs, seq };
        if (item === undefined) return;
        if (takes) agenda.remove({ ...item });
        else agenda.add(item);
        plain = takes ? plain.filter((other) => other !== item) : [...plain, item];
        plain = plain.toSorted((a, b) => a.atMs - b.atMs || a.seq - b.seq);
        assert.deepEqual([agenda.inTurn, agenda.next, agenda.size], [plain, plain[0], plain.length]);
      };
      for (const action of first) act(action);
      const before = plain;
      const mark = journal.mark();
      for (const action of second) act(action);
      journal.undoTo(mark);
      assert.deepEqual(agenda.inTurn, before);
    }),
    { numRuns: 200 },
  );
});

test("what is not there is not removed", () => {
  const journal = new Journal();
  const agenda = new Agenda(journal);
  agenda.add({ atMs: 1, seq: 1 });
  agenda.remove({ atMs: 1, seq: 2 });
  assert.equal(agenda.size, 1);
  assert.equal(journal.mark(), 1);
});
