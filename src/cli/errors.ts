import type { Problem } from "../base/problem.ts";

/** Bad usage: exit 2, with what to do instead. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly problems: readonly Problem[];

  constructor(message: string, problems: readonly Problem[] = []) {
    super(message);
    this.problems = problems;
  }
}

/** The cluster is not reachable, or does not let us in: exit 3. */
export class ClusterError extends Error {
  override readonly name = "ClusterError";
}

export const exit = { fine: 0, verdict: 1, usage: 2, unreachable: 3, undecided: 4 } as const;
