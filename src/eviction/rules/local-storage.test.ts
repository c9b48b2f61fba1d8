import { drainRows } from "../../../test/support/drain.ts";
import { pod, template } from "../../../test/support/tiny.ts";
import { localStorage } from "./local-storage.ts";

/** Read from kubectl pkg/drain/filters.go localStorageFilter, 0.36.3. */

const scratch = pod("db", { template: template("db", { volumes: [{ kind: "emptyDir", volume: "tmp" }] }) });
const host = pod("db", { template: template("db", { volumes: [{ kind: "hostPath", volume: "disk" }] }) });

drainRows(localStorage, [
  ["an emptyDir", { pod: scratch }, "refuse localStorage"],
  ["with the flag", { pod: scratch, flags: { deleteEmptydirData: true } }, "pass"],
  ["finished", { pod: { ...scratch, phase: "Failed", ready: false } }, "pass"],
  ["a hostPath is not local storage", { pod: host }, "pass"],
  ["no volume", { pod: pod("web") }, "pass"],
]);
