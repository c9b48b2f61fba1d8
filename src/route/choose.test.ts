import assert from "node:assert/strict";
import { test } from "node:test";
import { service, servingCluster, workload } from "../../test/support/serving.ts";
import { endpointsOf } from "./build.ts";
import { askedInVain, chooseEndpoints } from "./choose.ts";

const cluster = servingCluster([
  workload("llama", { gpus: 1, namespace: "ml-team", labels: { tier: "gold" } }),
  service("llama", { app: "llama" }, { namespace: "ml-team", labels: { tier: "gold" } }),
  workload("qwen", { gpus: 1, namespace: "research" }),
  service("qwen", { app: "qwen" }, { namespace: "research" }),
  workload("web", { namespace: "shop" }),
]);
const routes = endpointsOf(cluster);

interface Asked {
  readonly namespaces?: readonly string[];
  readonly names?: readonly string[];
  readonly selector?: string;
}

function chosen(asked: Asked): readonly string[] {
  const choice = { namespaces: [], names: [], selector: "", ...asked };
  return chooseEndpoints(cluster, routes, choice, []).endpoints.map(({ name }) => name);
}

function inVain(asked: Asked): readonly string[] {
  const choice = { namespaces: [], names: [], selector: "", ...asked };
  return askedInVain(cluster, routes, choice).map(({ message }) => message);
}

const rows: readonly (readonly [string, Asked, readonly string[]])[] = [
  ["nothing asked for is everything", {}, ["llama", "qwen"]],
  ["a namespace", { namespaces: ["research"] }, ["qwen"]],
  ["a name, with and without its namespace", { names: ["ml-team/llama", "qwen"] }, ["llama", "qwen"]],
  ["labels of the object that declares it", { selector: "tier=gold" }, ["llama"]],
  ["labels it must not have", { selector: "tier!=gold" }, ["qwen"]],
  ["a namespace without endpoints", { namespaces: ["shop"] }, []],
];
for (const [name, asked, names] of rows) {
  test(`chosen: ${name}`, () => {
    assert.deepEqual(chosen(asked), names);
    assert.deepEqual(inVain(asked), []);
  });
}

const mistakes: readonly (readonly [string, Asked, readonly string[]])[] = [
  [
    "a namespace that is nearly there",
    { namespaces: ["ml-taem"] },
    ["there is no namespace ml-taem; did you mean ml-team?"],
  ],
  [
    "a name like none",
    { names: ["zephyr"] },
    ["there is no model endpoint zephyr; there is ml-team/llama, research/qwen"],
  ],
  ["a name", { names: ["lama"] }, ["there is no model endpoint lama; did you mean llama?"]],
  [
    "a name in another namespace",
    { namespaces: ["research"], names: ["llama"] },
    ["there is no model endpoint llama in research; did you mean ml-team/llama?"],
  ],
  [
    "a name with another's namespace",
    { names: ["research/llama"] },
    ["there is no model endpoint research/llama; did you mean ml-team/llama?"],
  ],
  ["labels nothing has", { selector: "tier=silver" }, ["no model endpoint has the labels tier=silver"]],
];
for (const [name, asked, messages] of mistakes) {
  test(`in vain: ${name}`, () => {
    assert.deepEqual(inVain(asked), messages);
  });
}
