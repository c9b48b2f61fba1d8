/** Numbers for what values say: two that say the same have the same one. Values never change. */
export class Numbers {
  readonly #known = new Map<unknown, number>();
  readonly #bySaid = new Map<string, number>();

  of(value: object | null): number {
    let number = this.#known.get(value);
    if (number === undefined) {
      const said = JSON.stringify(value, (_, part) => (part instanceof Map ? [...part] : part));
      number = this.#bySaid.get(said) ?? this.#bySaid.size;
      this.#bySaid.set(said, number);
      this.#known.set(value, number);
    }
    return number;
  }
}
