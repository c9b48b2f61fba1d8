import type { PodTemplate } from "../../../model/pod-template.ts";

/** Numbers for templates, in the order they are met. */
export class Numbered {
  readonly templates: PodTemplate[] = [];
  /** By the template's own number, -1: not met; if others have it too they are among the others. */
  #byId = new Int32Array(1024).fill(-1);
  readonly #others = new Map<PodTemplate, number>();

  /** -1: it was not met before. */
  find(template: PodTemplate): number {
    const { id } = template;
    const number = id >= 0 && id < this.#byId.length ? (this.#byId[id] ?? -1) : -1;
    return number >= 0 && this.templates[number] === template ? number : (this.#others.get(template) ?? -1);
  }

  add(template: PodTemplate): number {
    const { id } = template;
    const number = this.templates.length;
    this.templates.push(template);
    if (id >= this.#byId.length) this.#grow(2 * id);
    if (this.#byId[id] === -1) this.#byId[id] = number;
    else this.#others.set(template, number);
    return number;
  }

  /** It has the number of another. */
  alsoKnow(template: PodTemplate, number: number): void {
    this.#others.set(template, number);
  }

  #grow(length: number): void {
    const longer = new Int32Array(length).fill(-1);
    longer.set(this.#byId);
    this.#byId = longer;
  }
}
