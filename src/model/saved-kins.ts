import { type Codec, type CodecReader, type CodecWriter, fields, nullable, number, text } from "../wire/codec.ts";
import type { ObjectKey } from "./key.ts";
import type { PodKin } from "./pod-columns.ts";
import { type PodIndex, repels } from "./pod-index.ts";
import type { PodTemplate } from "./pod-template.ts";
import type { Resources } from "./resources.ts";
import { resources, template, texts } from "./saved-template.ts";

/** What few questions ask. */
type Rest = Pick<
  PodKin,
  "deletionGraceMs" | "nominatedNodeName" | "finalizers" | "unschedulableMessage" | "ordinal" | "revision"
>;

const rest: Codec<Rest> = fields<Rest>({
  deletionGraceMs: nullable(number),
  nominatedNodeName: text,
  finalizers: texts,
  unschedulableMessage: text,
  ordinal: nullable(number),
  revision: text,
});

const phases = ["Pending", "Running", "Succeeded", "Failed", "Unknown"] as const;

/** Said of a kin in bits of one number, of which the lowest are the phase's place. */
const said = { phase: 7, ready: 8, deleting: 16, preempted: 32, mirror: 64, repels: 128 } as const;

/** In place of a number: there is none. */
const none = -1;

/** In the order in which KinTable reads it. */
export function writeKins(to: CodecWriter, kins: readonly PodKin[]): void {
  const records = <T>(codec: Codec<T>, read: (kin: PodKin) => T): void =>
    to.column(Int32Array.from(kins, (kin) => to.record(() => codec.write(to, read(kin)))));
  records(template, (kin) => kin.template);
  records(resources, (kin) => kin.requests);
  records(rest, (kin) => kin);
  to.column(Int32Array.from(kins, ({ owner }) => (owner === null ? none : to.textNumber(owner))));
  to.column(Int32Array.from(kins, ({ namespace }) => to.textNumber(namespace)));
  to.column(Int32Array.from(kins, saidOf));
  to.column(Float64Array.from(kins, (kin) => kin.template.priority));
  to.column(Float64Array.from(kins, (kin) => kin.nonZeroMilliCpu));
  to.column(Float64Array.from(kins, (kin) => kin.nonZeroMemoryBytes));
}

function saidOf(kin: PodKin): number {
  return (
    phases.indexOf(kin.phase) |
    (kin.ready ? said.ready : 0) |
    (kin.deleting ? said.deleting : 0) |
    (kin.preempted ? said.preempted : 0) |
    (kin.mirror ? said.mirror : 0) |
    (repels(kin) ? said.repels : 0)
  );
}

export function readKins(from: CodecReader, count: number): Pick<PodIndex, "kin" | "priority" | "repels"> {
  const table = new KinTable(from, count);
  // One object of each, however often it is asked for.
  const kins = Array.from({ length: count }, (_, number) => new SavedKin(table, number));
  return {
    kin(number) {
      const kin = kins[number];
      if (kin === undefined) throw new RangeError(`there are no pods of a kind ${number}`);
      return kin;
    },
    priority: (number) => table.priorities[number] ?? 0,
    repels: (number) => table.says(number, said.repels),
  };
}

/** What pods have in common, each thing of all of them in a column: nothing more is read of it than a question asks. */
class KinTable {
  readonly priorities: Float64Array;
  readonly nonZeroMilliCpu: Float64Array;
  readonly nonZeroMemoryBytes: Float64Array;
  readonly #from: CodecReader;
  readonly #templates: Int32Array;
  readonly #requests: Int32Array;
  readonly #rests: Int32Array;
  readonly #owners: Int32Array;
  readonly #namespaces: Int32Array;
  readonly #said: Int32Array;

  constructor(from: CodecReader, count: number) {
    this.#from = from;
    this.#templates = from.whole32(count);
    this.#requests = from.whole32(count);
    this.#rests = from.whole32(count);
    this.#owners = from.whole32(count);
    this.#namespaces = from.whole32(count);
    this.#said = from.whole32(count);
    this.priorities = from.floats(count);
    this.nonZeroMilliCpu = from.floats(count);
    this.nonZeroMemoryBytes = from.floats(count);
  }

  template(number: number): PodTemplate {
    return this.#from.late(this.#templates[number] ?? none, template);
  }

  requests(number: number): Resources {
    return this.#from.late(this.#requests[number] ?? none, resources);
  }

  rest(number: number): Rest {
    return this.#from.late(this.#rests[number] ?? none, rest);
  }

  owner(number: number): ObjectKey | null {
    const owner = this.#owners[number] ?? none;
    return owner === none ? null : this.#from.textAt(owner);
  }

  namespace(number: number): string {
    return this.#from.textAt(this.#namespaces[number] ?? none);
  }

  phase(number: number): PodKin["phase"] {
    return phases[(this.#said[number] ?? 0) & said.phase] ?? "Unknown";
  }

  says(number: number, bit: number): boolean {
    return ((this.#said[number] ?? 0) & bit) !== 0;
  }
}

class SavedKin implements PodKin {
  readonly #table: KinTable;
  readonly #number: number;
  #template: PodTemplate | null = null;
  #requests: Resources | null = null;
  #rest: Rest | null = null;

  constructor(table: KinTable, number: number) {
    this.#table = table;
    this.#number = number;
  }

  get template(): PodTemplate {
    this.#template ??= this.#table.template(this.#number);
    return this.#template;
  }
  get requests(): Resources {
    this.#requests ??= this.#table.requests(this.#number);
    return this.#requests;
  }
  get nonZeroMilliCpu(): number {
    return this.#table.nonZeroMilliCpu[this.#number] ?? 0;
  }
  get nonZeroMemoryBytes(): number {
    return this.#table.nonZeroMemoryBytes[this.#number] ?? 0;
  }
  get owner(): ObjectKey | null {
    return this.#table.owner(this.#number);
  }
  get namespace(): string {
    return this.#table.namespace(this.#number);
  }
  get phase(): PodKin["phase"] {
    return this.#table.phase(this.#number);
  }
  get ready(): boolean {
    return this.#table.says(this.#number, said.ready);
  }
  get deleting(): boolean {
    return this.#table.says(this.#number, said.deleting);
  }
  get preempted(): boolean {
    return this.#table.says(this.#number, said.preempted);
  }
  get mirror(): boolean {
    return this.#table.says(this.#number, said.mirror);
  }
  get deletionGraceMs(): number | null {
    return this.#more.deletionGraceMs;
  }
  get nominatedNodeName(): string {
    return this.#more.nominatedNodeName;
  }
  get finalizers(): readonly string[] {
    return this.#more.finalizers;
  }
  get unschedulableMessage(): string {
    return this.#more.unschedulableMessage;
  }
  get ordinal(): number | null {
    return this.#more.ordinal;
  }
  get revision(): string {
    return this.#more.revision;
  }

  get #more(): Rest {
    this.#rest ??= this.#table.rest(this.#number);
    return this.#rest;
  }
}
