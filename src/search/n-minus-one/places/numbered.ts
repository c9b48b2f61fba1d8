import type { PodTemplate } from "../../../model/pod-template.ts";

/** Numbers for templates, in the order they are met. */
export class Numbered {
  readonly templates: PodTemplate[] = [];
  /** By the template's own number, -1: not met; if others have it too they are among the others. */
  #byId = new Int32Array(0);
  /** Which template that is. */
  readonly #met: (PodTemplate | null)[] = [];
  readonly #others = new Map<PodTemplate, number>();

  /** -1: it was not met before. */
  find(template: PodTemplate): number {
    const { id } = template;
    if (id < 0 || id >= this.#byId.length) return this.#others.get(template) ?? -1;
    return this.#met[id] === template ? (this.#byId[id] ?? -1) : (this.#others.get(template) ?? -1);
  }

  add(template: PodTemplate): number {
    const number = this.templates.length;
    this.templates.push(template);
    this.alsoKnow(template, number);
    return number;
  }

  /** It has the number of another. */
  alsoKnow(template: PodTemplate, number: number): void {
    const { id } = template;
    if (id >= this.#byId.length) this.#grow(Math.max(2 * id, idsLeast));
    if (this.#byId[id] !== -1) this.#others.set(template, number);
    else {
      this.#byId[id] = number;
      this.#met[id] = template;
    }
  }

  #grow(length: number): void {
    const longer = new Int32Array(length).fill(-1);
    longer.set(this.#byId);
    this.#byId = longer;
    while (this.#met.length < length) this.#met.push(null);
  }
}

const idsLeast = 1024;
