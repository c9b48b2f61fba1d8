import { drainRows } from "../../../test/support/drain.ts";
import { pod, template } from "../../../test/support/tiny.ts";
import { alreadyDeleted } from "./already-deleted.ts";

/** Read from kubectl pkg/drain/filters.go skipDeletedFilter, 0.36.3. Pods read as terminating began to just before. */

const going = (terminationGraceMs: number): ReturnType<typeof pod> =>
  pod("web", { deleting: true, template: template("web", { terminationGraceMs }) });

drainRows(alreadyDeleted, [
  ["not terminating", { pod: pod("web"), flags: { skipWaitForDeleteSeconds: 1 } }, "pass"],
  ["within its grace", { pod: going(30_000), flags: { skipWaitForDeleteSeconds: 1 } }, "pass"],
  [
    "overdue for longer than the limit",
    { pod: going(-5000), flags: { skipWaitForDeleteSeconds: 4 } },
    "skip alreadyDeleted",
  ],
  ["overdue, exactly at the limit", { pod: going(-5000), flags: { skipWaitForDeleteSeconds: 5 } }, "pass"],
  [
    "over, and held by a finalizer since",
    { pod: { ...going(30_000), phase: "Failed", ready: false }, flags: { skipWaitForDeleteSeconds: 1 }, nowMs: 3000 },
    "skip alreadyDeleted",
  ],
  ["overdue, and the flag is off", { pod: going(-5000) }, "pass"],
]);
