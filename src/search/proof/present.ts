import { underKey } from "../../base/under-key.ts";
import type { Node } from "../../model/node.ts";
import { type Amount, limiting } from "./amounts.ts";
import type { Sizes } from "./sizes.ts";

export interface Group {
  readonly members: readonly Place[];
  /** The sizes of pods that may stand on several of its members and nowhere else among the places. */
  readonly shared: readonly number[];
}

/** Places of a group that nothing tells apart. */
export interface Place {
  readonly node: Node;
  readonly count: number;
  /** The sizes of pods that may stand on no other of the places. */
  readonly standing: readonly number[];
  /** Of each of `limiting` as much as may stand there: what stands there now may be more than fits. */
  readonly most: readonly number[];
}

/** An amount on each place, in the order of the groups and their members. */
export interface Column {
  readonly has: Float64Array;
  /** What stands there in any case. */
  readonly stands: Float64Array;
  /** No more can gather there, where it is less than the place has: other amounts keep pods off. */
  readonly gathers: Float64Array;
}

/** What may stand on some places at one time. What an amount is like there is worked out once for all templates. */
export class Present {
  readonly sizes: Sizes;
  /** How many of each size may stand in many places, in any group. */
  readonly free: Int32Array;
  readonly groups: readonly Group[];
  readonly #columns = new Map<string, Column>();

  constructor(sizes: Sizes, free: Int32Array, groups: readonly Group[]) {
    this.sizes = sizes;
    this.free = free;
    this.groups = groups;
  }

  column(amount: Amount): Column {
    return underKey(this.#columns, amount.name, () => this.#columnNow(amount));
  }

  #columnNow(amount: Amount): Column {
    const places = this.groups.reduce((sum, { members }) => sum + members.length, 0);
    const [has, stands, gathers] = [new Float64Array(places), new Float64Array(places), new Float64Array(places)];
    const brings = this.sizes.taking(amount);
    const limits = [...limiting.entries()].flatMap(([index, limit]) => {
      const order = this.sizes.byWorth(amount, limit);
      return limit.name === amount.name ? [] : { index, taking: this.sizes.taking(limit), order };
    });
    const there = this.free.slice();
    let at = 0;
    for (const { members, shared } of this.groups) {
      count(there, shared, 1);
      for (const { node, standing, most } of members) {
        count(there, standing, 1);
        const wanted = amount.of(node);
        let least = Number.POSITIVE_INFINITY;
        for (const { index, taking, order } of limits)
          least = Math.min(least, gathered(there, { order, brings, taking, most: most[index] ?? 0, wanted }));
        count(there, standing, -1);
        has[at] = wanted;
        stands[at] = standing.reduce((sum, size) => sum + (brings[size] ?? 0), 0);
        gathers[at] = least;
        at += 1;
      }
      count(there, shared, -1);
    }
    return { has, stands, gathers };
  }
}

function count(there: Int32Array, sizes: readonly number[], each: 1 | -1): void {
  for (const size of sizes) there[size] = (there[size] ?? 0) + each;
}

/** So much of an amount fits into what there is of the other, pods cut as one likes; not counted further than is wanted. */
function gathered(
  there: Int32Array,
  {
    order,
    brings,
    taking,
    most,
    wanted,
  }: {
    /** By worth. */
    readonly order: readonly number[];
    readonly brings: readonly number[];
    readonly taking: readonly number[];
    readonly most: number;
    readonly wanted: number;
  },
): number {
  let left = most;
  let sum = 0;
  for (let at = 0; at < order.length && sum < wanted; at += 1) {
    const size = order[at] ?? 0;
    const pods = there[size] ?? 0;
    const takes = pods * (taking[size] ?? 0);
    const more = pods * (brings[size] ?? 0);
    // Rounded up: what is lost in the division is less than one.
    if (takes > left) return Math.ceil(sum + (more * left) / takes + 1);
    left -= takes;
    sum += more;
  }
  return sum;
}
