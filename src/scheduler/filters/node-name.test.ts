import assert from "node:assert/strict";
import { test } from "node:test";
import { incoming, node, viewOf } from "../../../test/support/scheduling.ts";
import { derivedTemplate } from "../../model/template-content.ts";
import { newCycle } from "../cycle.ts";
import { runPreFilter } from "../framework.ts";
import { profileOf } from "../registry.ts";
import { nodeName } from "./node-name.ts";

// Read from plugins/nodename/node_name.go, Kubernetes 1.36.3 and 1.37.2.
function verdictsFor(wanted: string, minor: 36 | 37): readonly string[] {
  const view = viewOf({ objects: [node("a"), node("b", { unschedulable: true }), incoming()], minor });
  const waiting = view.pod("ns/new");
  assert.ok(waiting);
  const pod = { ...waiting, template: derivedTemplate(waiting.template, [], { nodeName: wanted }) };
  const result = runPreFilter(newCycle(view, pod), profileOf(minor).filters);
  assert.equal(result.outcome, "ready");
  return view.nodes
    .filter(({ name }) => result.nodes === null || result.nodes.has(name))
    .map((one) => {
      const verdict = result.run.filter(one);
      return `${one.name} ${verdict.code === "Success" ? "pass" : verdict.reasons.join(", ")}`;
    });
}

test("NodeName: no name fits every node", () => {
  assert.deepEqual(verdictsFor("", 36), ["a pass", "b node(s) were unschedulable"]);
});

test("NodeName: another name is a reason; a cordoned node says so first up to 1.36", () => {
  assert.deepEqual(verdictsFor("c", 36), [`a ${nodeName.messages.otherName}`, "b node(s) were unschedulable"]);
});

test("NodeName: from 1.37 on only the named node is looked at, and the name stands before the cordon", () => {
  assert.deepEqual(verdictsFor("a", 37), ["a pass"]);
  assert.deepEqual(verdictsFor("b", 37), ["b node(s) were unschedulable"]);
  const [first, second] = profileOf(37).filters;
  assert.deepEqual([first?.name, second?.name], ["NodeName", "NodeUnschedulable"]);
});
