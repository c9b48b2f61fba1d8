import type { Source } from "../base/problem.ts";

/** error: the simulation shows it breaks or stalls. warning: plainly wrong, or it bites at the next change. note: good to know. */
export type Severity = "error" | "warning" | "note";

export interface Finding {
  /** `single-replica` */
  readonly rule: string;
  /** `HF001`, for good. */
  readonly code: string;
  /** Which of the rule's messages; tests compare it, people do not see it. */
  readonly id: string;
  readonly severity: Severity;
  /** `namespace/name`; "" when it concerns several, or the cluster. */
  readonly endpoint: string;
  /** `Kind namespace/name`; "" when about the cluster. */
  readonly component: string;
  /** What is so, and why it matters. */
  readonly message: string;
  /** What to do. */
  readonly remedy: string;
  /** The facts it rests on, one a line. */
  readonly evidence: readonly string[];
  readonly source: Source | null;
}
