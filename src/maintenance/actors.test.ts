import assert from "node:assert/strict";
import { test } from "node:test";
import { parseDrainFlags } from "../eviction/drain-flags.ts";
import { actorNamed, actors } from "./registry.ts";

// What each actor's file has to say, cell by cell, is in test/maintenance/tables.test.ts.

test("every actor is found by its own name", () => {
  for (const actor of actors) assert.equal(actorNamed(actor.name), actor);
  assert.equal(new Set(actors.map((actor) => actor.name)).size, actors.length);
});

test("every actor can be played and says where it was read", () => {
  for (const actor of actors) {
    assert.ok(parseDrainFlags(actor.drain.flags).ok, actor.name);
    assert.ok(actor.sources.length > 0, actor.name);
    assert.ok(actor.signals.length > 0 && actor.levers.length > 0, actor.name);
    // A limit that ends in nothing is none; one that ends in something has a time.
    assert.equal(actor.drain.then === "waits", actor.drain.holdsForMs === null, actor.name);
  }
});
