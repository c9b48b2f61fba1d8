import type { Asked } from "./said.ts";

export interface Case {
  readonly name: string;
  readonly example: string;
  /** Fixed by `holdfast fix --apply` first. */
  readonly fix: boolean;
  readonly asked: Asked;
}

const everything: Asked = { nodes: null, start: { leastMs: 300, mostMs: 3_000 } };

const examples = [
  "modelplane-fixed",
  "openshift-two-replicas",
  "modelplane-incident",
  "openshift-as-written",
  "openshift-one-replica",
  "openshift-no-room",
];
export const cases: readonly Case[] = [
  ...examples.map((example) => ({ name: example, example, fix: false, asked: everything })),
  ...["modelplane-incident", "openshift-as-written"].map((example) => ({
    name: `${example}-after-fix`,
    example,
    fix: true,
    asked: everything,
  })),
  ...["turns", "held"].map((name) => ({
    name,
    example: `../test/orders/${name}`,
    fix: false,
    asked: { nodes: ["n1", "n3"], start: { leastMs: 0, mostMs: 0 } },
  })),
];

export function caseNamed(name: string): Case {
  const found = cases.find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no case ${name}`);
  return found;
}
