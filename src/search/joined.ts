/** Keys that belong together, however far: all of one group go by the same one of them. */
export class Joined<K> {
  readonly #up = new Map<K, K>();

  /** The key that the group of this one goes by; its own while it is alone. */
  of(key: K): K {
    let at = key;
    for (let next = this.#up.get(at); next !== undefined; next = this.#up.get(at)) at = next;
    if (at !== key) this.#up.set(key, at);
    return at;
  }

  join(keys: readonly K[]): void {
    const [first, ...rest] = keys;
    if (first === undefined) return;
    for (const key of rest) if (this.of(key) !== this.of(first)) this.#up.set(this.of(key), this.of(first));
  }
}
