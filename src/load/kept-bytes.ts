import { inChunks } from "./read-bytes.ts";

/** What comes but once, as from a pipe, kept when it is first read so that it can be read again. */
export class KeptBytes {
  readonly #read: () => Iterable<Uint8Array>;
  readonly #parts: Buffer[] = [];
  #state: "new" | "whole" | { readonly broken: unknown } = "new";

  constructor(read: () => Iterable<Uint8Array>) {
    this.#read = read;
  }

  *chunks(): Generator<Uint8Array> {
    if (this.#state === "new") yield* this.#first();
    else yield* this.#again();
  }

  *#first(): Generator<Uint8Array> {
    try {
      for (const chunk of this.#read()) {
        this.#parts.push(Buffer.from(chunk));
        yield chunk;
      }
      this.#state = "whole";
    } catch (error) {
      this.#state = { broken: error };
      throw error;
    }
  }

  /** The same chunks, and the same end. */
  *#again(): Generator<Uint8Array> {
    for (const part of this.#parts) yield* inChunks(part);
    if (typeof this.#state === "object") throw this.#state.broken;
  }
}
