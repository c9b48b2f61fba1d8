import assert from "node:assert/strict";
import { test } from "node:test";
import { type Items, recording } from "../../scripts/recordings/recording.ts";
import type { Verdict } from "../../src/report/types.ts";
import { checkReport } from "../support/assess.ts";
import { snapshotOf } from "../support/fix.ts";

/** What `check` says of a small cluster. What is left out is not compared. */
export interface Judged {
  readonly name: string;
  /** What Kubernetes does and where that was read: written before the cluster was ever judged. */
  readonly why?: string;
  readonly cluster: readonly Items[];
  /** Default: whoever the cluster shows. */
  readonly actor?: string;
  /** Of the first endpoint. */
  readonly verdict: Verdict;
  readonly now?: "up" | "degraded" | "down" | "idle";
  /** Of the first endpoint's verdict, each found in what it could not be told for. */
  readonly gaps?: readonly string[];
  /** Verdicts of all endpoints: `name verdict`. */
  readonly endpoints?: readonly string[];
  /** Of errors and warnings, in order. */
  readonly codes?: readonly string[];
  /** Each of these is found, however serious. */
  readonly told?: readonly string[];
}

export function judge({ cluster, actor }: Judged): ReturnType<typeof checkReport> {
  const objects = JSON.parse(JSON.stringify(recording("", "", cluster, []).cluster));
  return checkReport(snapshotOf(objects), { actors: actor === undefined ? [] : [actor] });
}

export function testAll(cases: readonly Judged[]): void {
  for (const made of cases)
    test(made.name, () => {
      const { endpoints, findings } = judge(made);
      const [first] = endpoints;
      assert.equal(first?.verdict, made.verdict);
      if (made.now !== undefined) assert.equal(first?.now, made.now);
      for (const gap of made.gaps ?? []) {
        const gaps: string =
          first?.notModelled.map(({ what, couldChange }) => `${what}: ${couldChange}`).join("\n") ?? "";
        assert.ok(gaps.includes(gap), gaps);
      }
      if (made.endpoints !== undefined)
        assert.deepEqual(
          endpoints.map(({ name, verdict }) => `${name} ${verdict}`),
          made.endpoints,
        );
      if (made.codes !== undefined) {
        const serious = findings.filter(({ severity }) => severity !== "note").map(({ code }) => code);
        assert.deepEqual(serious, made.codes);
      }
      const codes = findings.map(({ code }) => code);
      for (const code of made.told ?? []) assert.ok(codes.includes(code), `${code} among ${codes.join(", ")}`);
    });
}
