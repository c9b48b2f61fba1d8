import { rows } from "../../test/support/rows.ts";
import { amounts, cluster, container, template } from "../../test/support/tiny.ts";
import type { PodTemplate } from "../model/pod-template.ts";
import type { SizeBounds } from "../model/policy.ts";
import { Journal } from "../sim/journal.ts";
import { Ledger } from "../sim/ledger.ts";
import { admitByLimitRange } from "./limit-range.ts";

/** Read from plugin/pkg/admission/limitranger/admission.go, v1.36.3. */

const Mi = 1024 ** 2;
const refusal = ([bounds, fields]: readonly [SizeBounds, Partial<PodTemplate>]): string | null => {
  const source = { file: "", line: null };
  const ref = { apiVersion: "v1", kind: "LimitRange", namespace: "ns", name: "sizes" };
  const range = { ref, source, defaultRequests: new Map(), defaultLimits: new Map(), bounds: [bounds] };
  const view = new Ledger(cluster({ limitRanges: [range] }), new Journal());
  return admitByLimitRange(view, "ns", template("web", fields));
};
const of = (min: readonly [string, number][], max: readonly [string, number][] = []): SizeBounds => ({
  of: "Container",
  min: new Map(min),
  max: new Map(max),
});
const sized = (request: number, limit: number): Partial<PodTemplate> => ({
  containers: [container({ requests: amounts({ milliCpu: request }), limits: amounts({ milliCpu: limit }) })],
});

rows<readonly [SizeBounds, Partial<PodTemplate>], string | null>("limit range", refusal, [
  ["within", [of([["cpu", 100]], [["cpu", 2000]]), sized(500, 1000)], null],
  [
    "a limit too large",
    [of([], [["cpu", 2000]]), sized(500, 4000)],
    "maximum cpu usage per Container is 2, but limit is 4",
  ],
  [
    "a request too small",
    [of([["cpu", 1000]]), sized(500, 1000)],
    "minimum cpu usage per Container is 1, but request is 500m",
  ],
  [
    "no limit",
    [of([], [["cpu", 2000]]), sized(500, 0)],
    "maximum cpu usage per Container is 2.  No limit is specified",
  ],
  [
    "no request",
    [of([["memory", 64 * Mi]]), sized(500, 0)],
    "minimum memory usage per Container is 64Mi.  No request is specified",
  ],
  [
    "two reasons",
    [of([["memory", 64 * Mi]], [["cpu", 2000]]), sized(500, 4000)],
    "[maximum cpu usage per Container is 2, but limit is 4, minimum memory usage per Container is 64Mi.  No request is specified]",
  ],
  [
    "the pod as a whole",
    [{ of: "Pod", min: new Map(), max: new Map([["cpu", 3000]]) }, { limits: amounts({ milliCpu: 4000 }) }],
    "maximum cpu usage per Pod is 3, but limit is 4",
  ],
]);
