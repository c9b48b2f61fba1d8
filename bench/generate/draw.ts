import { type Random, seededRandom } from "../../src/base/random.ts";

/** Draws of a seeded cluster: chance, and the texts that differ from object to object. */
export class Draw {
  readonly #random: Random;
  readonly #made = new Set<string>();
  #resourceVersion = 100_000_000;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  chance(share: number): boolean {
    return this.#random.next() < share;
  }

  share(): number {
    return this.#random.next();
  }

  below(bound: number): number {
    return this.#random.below(bound);
  }

  pick<T>(items: readonly T[]): T {
    return this.#random.pick(items);
  }

  hex(length: number): string {
    let text = "";
    while (text.length < length) {
      text += Math.floor(this.#random.next() * 4_294_967_296)
        .toString(16)
        .padStart(8, "0");
    }
    return text.slice(0, length);
  }

  /** The letters Kubernetes makes names of. */
  suffix(length: number): string {
    let text = "";
    for (let at = 0; at < length; at += 1) text += nameLetters[this.below(nameLetters.length)];
    return text;
  }

  /** What Kubernetes makes of a generateName; no name twice, as the API server sees to. */
  nameFrom(prefix: string): string {
    for (;;) {
      const name = `${prefix}${this.suffix(5)}`;
      if (this.#made.has(name)) continue;
      this.#made.add(name);
      return name;
    }
  }

  uid(): string {
    return `${this.hex(8)}-${this.hex(4)}-4${this.hex(3)}-a${this.hex(3)}-${this.hex(12)}`;
  }

  time(): string {
    const seconds = Date.UTC(2026, 0, 1) / 1000 + this.below(20_000_000);
    return `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;
  }

  resourceVersion(): string {
    this.#resourceVersion += 1 + this.below(9);
    return String(this.#resourceVersion);
  }
}

const nameLetters = "bcdfghjklmnpqrstvwxz2456789";
