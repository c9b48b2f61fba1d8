import type { Source } from "../base/problem.ts";
import { type Codec, type CodecReader, type CodecWriter, fields, list, map, number, text } from "../wire/codec.ts";
import type { Pod } from "./pod.ts";
import { ColumnPod, kinOf, measure, noClaims, type PodKin, type PodTable } from "./pod-columns.ts";
import { knowIndex, podIndexOf } from "./pod-index.ts";
import type { PodTemplate } from "./pod-template.ts";
import { readKins, writeKins } from "./saved-kins.ts";
import { ownNodeOf, TemplateNumbers } from "./template-numbers.ts";

const claims = list(
  fields<{ readonly place: number; readonly names: Pod["claimNames"] }>({ place: number, names: map(text) }),
);

/** What pods have in common is read when it is asked for, and of each the numbers that somebody looks at. */
export const pods: Codec<readonly Pod[]> = {
  write(to, value) {
    const index = podIndexOf(value);
    to.count(index.kinCount);
    writeKins(
      to,
      Array.from({ length: index.kinCount }, (_, number) => index.kin(number)),
    );
    to.column(index.order);
    to.column(index.kins);
    to.column(Int32Array.from(index.nodes, (number) => to.textNumber(index.nodeName(number))));
    writeOwn(to, value);
  },
  read(from) {
    const kinCount = from.count();
    const kins = readKins(from, kinCount);
    const order = from.whole32();
    const count = order.length;
    const [kinNumbers, nodes] = [from.whole32(count), from.whole32(count)];
    const table = new SavedPods(from, nodes);
    const kinAt = (place: number): PodKin => kins.kin(kinNumbers[place] ?? none);
    const read = Array.from(kinNumbers, (_, place): Pod => new ColumnPod(table, place, kinAt));
    const nodeName = (number: number): string => from.textAt(number);
    knowIndex(read, { ...kins, kinCount, order, kins: kinNumbers, nodes, nodeName });
    return read;
  },
};

/** In place of a number: there is none. */
const none = -1;

const measures = Object.values(measure).length;

/** What each has for itself, in the order in which SavedPods reads it. */
function writeOwn(to: CodecWriter, value: readonly Pod[]): void {
  to.column(Int32Array.from(value, ({ key }) => to.ownTextNumber(key)));
  const isNamed = (pod: Pod): boolean => pod.template !== kinOf(pod).template;
  to.column(Int32Array.from(value, (pod) => (isNamed(pod) ? pod.template.id : none)));
  to.column(Int32Array.from(value, (pod) => (isNamed(pod) ? to.textNumber(ownNodeOf(pod.template) ?? "") : none)));
  to.column(Int32Array.from(value, ({ source }) => (source.file === to.file ? none : to.textNumber(source.file))));
  const numbers = new Float64Array(measures * value.length);
  for (const [place, pod] of value.entries()) {
    const { restarts, createdAtMs, startedAtMs, scheduledAtMs, readyAtMs, source } = pod;
    // In the order of `measure`.
    const own = [source.line, restarts, createdAtMs, startedAtMs, scheduledAtMs, readyAtMs];
    numbers.set(
      own.map((value) => value ?? Number.NaN),
      place * measures,
    );
  }
  to.column(numbers);
  const withClaims = [...value.entries()].filter(([, { claimNames }]) => claimNames.size > 0);
  claims.write(
    to,
    withClaims.map(([place, { claimNames }]) => ({ place, names: claimNames })),
  );
}

/** Over the columns as they are in the file. */
class SavedPods implements PodTable {
  readonly #from: CodecReader;
  readonly #nodes: Int32Array;
  readonly #keys: Int32Array;
  readonly #templateIds: Int32Array;
  readonly #ownNodes: Int32Array;
  readonly #files: Int32Array;
  readonly #measures: Float64Array;
  readonly #claimNames: ReadonlyMap<number, Pod["claimNames"]>;
  readonly #templates = new TemplateNumbers();

  constructor(from: CodecReader, nodes: Int32Array) {
    this.#from = from;
    this.#nodes = nodes;
    const count = nodes.length;
    this.#keys = from.whole32(count);
    this.#templateIds = from.whole32(count);
    this.#ownNodes = from.whole32(count);
    this.#files = from.whole32(count);
    this.#measures = from.floats(measures * count);
    this.#claimNames = new Map(claims.read(from).map(({ place, names }) => [place, names]));
  }

  keyAt(place: number): string {
    return this.#from.textAt(this.#keys[place] ?? none);
  }

  nodeNameAt(place: number): string {
    return this.#from.textAt(this.#nodes[place] ?? none);
  }

  templateAt(place: number, { template: form }: PodKin): PodTemplate {
    const id = this.#templateIds[place] ?? none;
    if (id === none) return form;
    return this.#templates.named(id, form, this.#from.textAt(this.#ownNodes[place] ?? none));
  }

  sourceAt(place: number): Source {
    const file = this.#files[place] ?? none;
    return { file: file === none ? this.#from.file : this.#from.textAt(file), line: this.at(place, measure.line) };
  }

  claimNamesAt(place: number): Pod["claimNames"] {
    return this.#claimNames.get(place) ?? noClaims;
  }

  at(place: number, which: number): number | null {
    const value = this.#measures[place * measures + which] ?? Number.NaN;
    return Number.isNaN(value) ? null : value;
  }
}
