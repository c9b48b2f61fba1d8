import type { Node } from "../../../model/node.ts";
import type { PodTemplate } from "../../../model/pod-template.ts";
import type { NodeView } from "../../../model/view.ts";

/** What one pod takes of a node: of a pod that is there, as the scheduler counts it now. */
export interface Amounts {
  readonly requests: PodTemplate["requests"];
  readonly nonZeroMilliCpu: number;
  readonly nonZeroMemoryBytes: number;
}

/** Room of one kind on every node. */
export interface Room {
  readonly total: Float64Array;
  readonly used: Float64Array;
}

/** Nodes as columns: what filters and scores read of a node and the amounts on it, by the node's place in the scheduler's order. */
export class NodeTable {
  readonly nodes: readonly Node[];
  readonly size: number;
  readonly milliCpu: Room;
  readonly memory: Room;
  readonly ephemeral: Room;
  readonly nonZeroMilliCpu: Float64Array;
  readonly nonZeroMemory: Float64Array;
  readonly pods: Int32Array;
  readonly podsMax: Int32Array;
  /** A node taken to be cordoned; -1: none. */
  closed = -1;
  /** Nodes that changed, in order, the first `touchedCount`: who keeps something by node asks the table itself about them. */
  readonly touched: Int32Array;
  touchedCount = 0;
  /** 1: among the touched. */
  readonly isTouched: Uint8Array;
  /** Nodes that changed before those, one after the other: who keeps something by node has to look at them again. */
  readonly changed: number[] = [];
  /** Each node a domain of its own. */
  readonly byNode: Domains;
  readonly #scalar = new Map<string, Room>();
  readonly #domains = new Map<string, Domains>();

  constructor(order: readonly NodeView[]) {
    this.nodes = order.map(({ node }) => node);
    this.size = order.length;
    const room = (of: (node: Node) => number): Room => ({
      total: Float64Array.from(this.nodes, of),
      used: new Float64Array(this.size),
    });
    this.milliCpu = room(({ allocatable }) => allocatable.milliCpu);
    this.memory = room(({ allocatable }) => allocatable.memoryBytes);
    this.ephemeral = room(({ allocatable }) => allocatable.ephemeralStorageBytes);
    this.nonZeroMilliCpu = new Float64Array(this.size);
    this.nonZeroMemory = new Float64Array(this.size);
    this.pods = new Int32Array(this.size);
    this.isTouched = new Uint8Array(this.size);
    this.touched = new Int32Array(this.size);
    this.byNode = divided(
      0,
      Array.from(this.nodes, (_, at) => String(at)),
    );
    this.podsMax = Int32Array.from(this.nodes, ({ podsMax }) => podsMax);
    for (const { allocatable } of this.nodes) {
      for (const name of allocatable.scalar.keys()) {
        if (!this.#scalar.has(name))
          this.#scalar.set(
            name,
            room((node) => node.allocatable.scalar.get(name) ?? 0),
          );
      }
    }
  }

  scalar(name: string): Room {
    let room = this.#scalar.get(name);
    if (room === undefined) {
      room = { total: new Float64Array(this.size), used: new Float64Array(this.size) };
      this.#scalar.set(name, room);
    }
    return room;
  }

  /** The node is as it is shown, with so many pods. */
  set(at: number, view: NodeView, pods: number): void {
    this.milliCpu.used[at] = view.requested.milliCpu;
    this.memory.used[at] = view.requested.memoryBytes;
    this.ephemeral.used[at] = view.requested.ephemeralStorageBytes;
    this.nonZeroMilliCpu[at] = view.nonZeroMilliCpu;
    this.nonZeroMemory[at] = view.nonZeroMemoryBytes;
    this.pods[at] = pods;
    for (const { used } of this.#scalar.values()) used[at] = 0;
    for (const [name, amount] of view.requested.scalar) this.scalar(name).used[at] = amount;
  }

  /** One pod more (1) or less (-1). */
  add(at: number, { requests, nonZeroMilliCpu, nonZeroMemoryBytes }: Amounts, sign: 1 | -1): void {
    plus(this.milliCpu.used, at, sign * requests.milliCpu);
    plus(this.memory.used, at, sign * requests.memoryBytes);
    plus(this.ephemeral.used, at, sign * requests.ephemeralStorageBytes);
    plus(this.nonZeroMilliCpu, at, sign * nonZeroMilliCpu);
    plus(this.nonZeroMemory, at, sign * nonZeroMemoryBytes);
    this.pods[at] = (this.pods[at] ?? 0) + sign;
    if (requests.scalar.size === 0) return;
    for (const [name, amount] of requests.scalar) plus(this.scalar(name).used, at, sign * amount);
  }

  touch(at: number): void {
    if (this.isTouched[at] === 1) return;
    this.isTouched[at] = 1;
    const { touched } = this;
    let place = this.touchedCount;
    for (; place > 0 && (touched[place - 1] ?? 0) > at; place -= 1) touched[place] = touched[place - 1] ?? 0;
    touched[place] = at;
    this.touchedCount += 1;
  }

  /** Nothing is touched: what was is as it had been. */
  untouch(): void {
    for (let i = 0; i < this.touchedCount; i += 1) this.isTouched[this.touched[i] ?? 0] = 0;
    this.touchedCount = 0;
  }

  /** What is touched becomes what has changed. */
  settle(): void {
    for (let i = 0; i < this.touchedCount; i += 1) this.changed.push(this.touched[i] ?? 0);
    this.untouch();
  }

  /** Nodes by the value of a label. */
  domains(key: string): Domains {
    let domains = this.#domains.get(key);
    if (domains === undefined) {
      domains = divided(
        this.#domains.size + 1,
        this.nodes.map(({ labels }) => labels.get(key)),
      );
      this.#domains.set(key, domains);
    }
    return domains;
  }
}

/** Nodes by the value of a label. */
export interface Domains {
  /** Each has another. */
  readonly number: number;
  /** Node → number of its domain; -1: it lacks the label. */
  readonly of: Int32Array;
  /** Domain → its nodes, in order. */
  readonly nodes: readonly (readonly number[])[];
  /** Each node is a domain of its own, with its number. */
  readonly isByNode: boolean;
  /** More domains than a domain has nodes, as with host names: pods that count there are met node by node. */
  readonly isFine: boolean;
}

function divided(number: number, values: readonly (string | undefined)[]): Domains {
  const numbers = new Map<string, number>();
  const of = new Int32Array(values.length).fill(-1);
  const nodes: number[][] = [];
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at];
    if (value === undefined) continue;
    const domain = numbers.get(value) ?? numbers.size;
    numbers.set(value, domain);
    of[at] = domain;
    const alike = nodes[domain];
    if (alike === undefined) nodes.push([at]);
    else alike.push(at);
  }
  const isByNode = of.every((domain, at) => domain === at);
  return { number, of, nodes, isByNode, isFine: isByNode || nodes.length ** 2 > values.length };
}

function plus(column: Float64Array, at: number, amount: number): void {
  column[at] = (column[at] ?? 0) + amount;
}
