import { drainRows } from "../../../test/support/drain.ts";
import { pod } from "../../../test/support/tiny.ts";
import { mirror } from "./mirror.ts";

/** Read from kubectl pkg/drain/filters.go mirrorPodFilter, 0.36.3. */
drainRows(mirror, [
  ["a static pod's mirror", { pod: pod("etcd", { mirror: true }) }, "skip mirror"],
  ["any other pod", { pod: pod("web") }, "pass"],
]);
