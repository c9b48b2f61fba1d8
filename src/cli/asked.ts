import type { Report } from "../report/types.ts";
import { asked } from "../route/choose.ts";
import { UsageError } from "./errors.ts";

/** Namespaces, endpoints and labels that were typed and are not there: somebody's mistake, and no answer. */
export function refuseInVain({ problems, cluster }: Pick<Report, "problems" | "cluster">): void {
  // Where there is nothing at all, that is what to say.
  if (cluster.nodes === 0) return;
  const wrong = problems.filter(({ file }) => file === asked);
  if (wrong.length > 0) throw new UsageError(wrong.map(({ message }) => message).join("; "));
}
