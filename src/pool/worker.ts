import { parentPort, receiveMessageOnPort } from "node:worker_threads";
import { helperOf } from "../assess.ts";
import { invariant } from "../base/invariant.ts";
import { type SharedOffer, type Start, type Told, taken } from "./messages.ts";
import { savedSnapshot } from "./saved-snapshot.ts";

// A thread that does tasks of a check as long as there are any.

const port = parentPort;
invariant(port !== null, "this runs as a worker");

port.once("message", ({ saved, options, me }: Start) => {
  const helper = helperOf(savedSnapshot(saved), options);
  const offers: SharedOffer[] = [];
  const hear = (offer: SharedOffer): void => {
    helper.know(offer.alone);
    offers.push(offer);
  };
  port.on("message", (first: SharedOffer) => {
    hear(first);
    for (;;) {
      // While it was busy there may have come more.
      for (let more = receiveMessageOnPort(port); more !== undefined; more = receiveMessageOnPort(port))
        hear(more.message);
      const found = next(offers, me);
      const task = found === null ? undefined : offers[found.offer]?.tasks[found.task];
      if (found === null || task === undefined) return;
      const told: Told = { ...found, answer: helper.do(task) };
      port.postMessage(told);
    }
  });
});

/** One of the latest offer first: it is what the main thread waits for. Null: nothing is free. */
function next(offers: readonly SharedOffer[], me: number): Omit<Told, "answer"> | null {
  for (let offer = offers.length - 1; offer >= 0; offer -= 1) {
    const of = offers[offer];
    const task = of === undefined ? -1 : taken(of, me);
    if (task >= 0) return { offer, task };
  }
  return null;
}
