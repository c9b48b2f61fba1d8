/** Pods that came to nodes and left them, one change after the other: those of each template are found from its last one on. */
export class Moves {
  /** Changes are numbered from 1 on; so many there are. */
  count = 0;
  /** By change: the node, its pods more, those of them that are not terminating, their template, and its change before; 0: none. */
  node = new Int32Array(256);
  all = new Int32Array(256);
  live = new Int32Array(256);
  template = new Int32Array(256);
  before = new Int32Array(256);
  /** By template: its last change; 0: none. */
  #last = new Int32Array(1024);

  /** A template that is numbered so may be asked for now. */
  learn(template: number): void {
    if (template >= this.#last.length) this.#last = longer(this.#last, 2 * template);
  }

  lastOf(template: number): number {
    return this.#last[template] ?? 0;
  }

  push(template: number, at: number, all: number, live: number): void {
    this.count += 1;
    const { count } = this;
    if (count === this.node.length) this.#grow();
    this.node[count] = at;
    this.all[count] = all;
    this.live[count] = live;
    this.template[count] = template;
    this.before[count] = this.#last[template] ?? 0;
    this.#last[template] = count;
  }

  forget(): void {
    for (let change = 1; change <= this.count; change += 1) this.#last[this.template[change] ?? 0] = 0;
    this.count = 0;
  }

  #grow(): void {
    const length = 2 * this.node.length;
    this.node = longer(this.node, length);
    this.all = longer(this.all, length);
    this.live = longer(this.live, length);
    this.template = longer(this.template, length);
    this.before = longer(this.before, length);
  }
}

function longer(list: Int32Array, length: number): Int32Array<ArrayBuffer> {
  const made = new Int32Array(length);
  made.set(list);
  return made;
}
