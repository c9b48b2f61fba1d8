import { rows } from "../../test/support/rows.ts";
import { selects } from "../../test/support/tiny.ts";
import {
  bareDrainFlags,
  type DrainFlags,
  type ParsedDrainFlags,
  parseDrainFlags,
  usualDrainFlags,
} from "./drain-flags.ts";

const read = (fields: Partial<DrainFlags>): ParsedDrainFlags => ({ ok: true, flags: { ...bareDrainFlags, ...fields } });
const wrong = (...errors: readonly string[]): ParsedDrainFlags => ({ ok: false, errors });

rows<readonly string[], ParsedDrainFlags>("drain flags", parseDrainFlags, [
  ["none", [], read({})],
  ["the usual", usualDrainFlags, read({ ignoreDaemonsets: true, deleteEmptydirData: true })],
  ["switched off", ["--force", "--force=false"], read({})],
  ["a value after =", ["--grace-period=60"], read({ gracePeriodMs: 60_000 })],
  ["a value in the next word", ["--grace-period", "0"], read({ gracePeriodMs: 0 })],
  ["a negative grace is the pod's own", ["--grace-period=-1"], read({ gracePeriodMs: null })],
  ["a duration", ["--timeout=1h30m"], read({ timeoutMs: 5_400_000 })],
  ["no timeout", ["--timeout=0"], read({ timeoutMs: null })],
  ["a selector", ["--pod-selector=app=llm"], read({ podSelector: selects({ app: "llm" }) })],
  ["deletes instead of evicting", ["--disable-eviction"], read({ disableEviction: true })],
  ["skips overdue pods", ["--skip-wait-for-delete-timeout=5"], read({ skipWaitForDeleteSeconds: 5 })],
  ["a flag that changes nothing here", ["--chunk-size=100"], read({})],
  [
    "all errors at once",
    ["--timeout=soon", "--grace-period=1.5", "--force=maybe"],
    wrong(
      'invalid argument "soon" for --timeout: it is a duration like 90s or 1h30m',
      'invalid argument "1.5" for --grace-period: it is a whole number',
      'invalid argument "maybe" for --force: it is true or false',
    ),
  ],
  ["a value that is missing", ["--timeout"], wrong("flag needs an argument: --timeout")],
  [
    "a selector that is none",
    ["--pod-selector=a b"],
    wrong(
      '--pod-selector=<pod_selector> must be a valid label selector: unable to read "a b" as a requirement: write key, !key, key=value, key!=value, key in (a,b) or key notin (a,b)',
    ),
  ],
  [
    "an unknown flag",
    ["--quick"],
    wrong(
      'unknown drain flag "--quick": use one of --force, --ignore-daemonsets, --delete-emptydir-data, --disable-eviction, --grace-period, --skip-wait-for-delete-timeout, --timeout, --pod-selector, --chunk-size',
    ),
  ],
]);
