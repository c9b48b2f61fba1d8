import { isJsonObject } from "../../src/wire/fields.ts";
import type { Json, JsonObject, WireObject } from "../../src/wire/snapshot.ts";
import { ownersAndMade, proxiesOf } from "./envoy-gateway.ts";
import type { World } from "./world.ts";

/** What was seen, as it is kept: `test/confirmed/<name>.json`. */
export interface Seen {
  readonly about: string;
  readonly facts: JsonObject;
}

export interface Case {
  readonly name: string;
  readonly example: string;
  /** Controllers of owners are stood in for. */
  readonly owners: boolean;
  /** The real Envoy Gateway runs, with its own kinds. */
  readonly envoyGateway: boolean;
  /** The example's object as it is loaded here; null: left out. */
  edited?(object: WireObject): WireObject | null;
  play(world: World): Promise<Seen>;
}

const gpuNodes = ["ip-10-0-51-34.eu-west-1.compute.internal", "ip-10-0-75-166.eu-west-1.compute.internal"];
const systemNodes = ["computeinstance-e00c4m8q1w7zk2d5t1", "computeinstance-e00c4m8q1w7zk2d5t2"];
const gpuHosts = ["computeinstance-e00r9h3x6v0pn8b4g1", "computeinstance-e00r9h3x6v0pn8b4g2"];

export const cases: readonly Case[] = [
  {
    name: "openshift-fix",
    example: "openshift-as-written",
    owners: true,
    envoyGateway: false,
    async play(world) {
      const changes = await changesOf(world);
      await world.step("holdfast fix --apply --yes");
      for (const node of [...gpuNodes, ...gpuNodes]) await drained(world, node);
      return {
        about: "The page's selectors put right by `holdfast fix --apply`; then both GPU nodes drained in turn, twice.",
        facts: { changes: changes.map(shown), onOneNode: await spreadOf(world, "demo-models") },
      };
    },
  },
  {
    name: "openshift-unfixed",
    example: "openshift-as-written",
    owners: false,
    envoyGateway: false,
    async play(world) {
      await world.step(`kubectl drain ${gpuNodes[0]} --ignore-daemonsets --delete-emptydir-data --timeout=30s`);
      return {
        about:
          "The page's selectors as they are: one drain takes both engines of chat, past its budget, which counts other pods too.",
        facts: {},
      };
    },
  },
  {
    name: "openshift-plan",
    example: "openshift-one-replica",
    owners: true,
    envoyGateway: false,
    async play(world) {
      const planned = await world.run(`holdfast plan --drain ${gpuNodes.join(",")} -o json`);
      const plan: Json = JSON.parse(planned.out);
      const steps = isJsonObject(plan) && Array.isArray(plan["steps"]) ? plan["steps"].filter(isJsonObject) : [];
      for (const { command } of steps) if (typeof command === "string" && command !== "") await world.step(command);
      return {
        about: "The runbook for one replica each, every command of it typed: scale to two, drain, step back.",
        facts: { steps: steps.map(({ do: what, command }) => `${String(what)} ${String(command)}`.trim()) },
      };
    },
  },
  {
    name: "incident-fix",
    example: "modelplane-incident",
    owners: true,
    envoyGateway: false,
    async play(world) {
      const changes = await changesOf(world);
      await world.step("holdfast fix --apply --yes");
      // The composition's part, as its author would write it: the desired objects themselves.
      await composed(world, changes);
      for (const pool of [systemNodes, systemNodes, gpuHosts, gpuHosts]) await maintained(world, pool);
      return {
        about:
          "After all changes of `holdfast fix`: each pool cordoned whole, then drained node by node, each opened when it is done; twice.",
        facts: { changes: changes.map(shown), onOneNode: await spreadOf(world, "mp-ml-team-5f2a9c") },
      };
    },
  },
  {
    name: "incident-unfixed",
    example: "modelplane-incident",
    owners: false,
    envoyGateway: false,
    async play(world) {
      await maintained(world, systemNodes);
      return { about: "The incident as it happened.", facts: {} };
    },
  },
  {
    name: "apply",
    example: "modelplane-incident",
    owners: true,
    envoyGateway: false,
    async play(world) {
      const proxy = "envoyproxy -n modelplane-system cluster-gateway";
      const read = async (path: string): Promise<string> =>
        (await world.run(`kubectl get ${proxy} -o jsonpath='{${path}}'`)).out;
      const version = (): Promise<string> => read(".metadata.resourceVersion");
      const before = await version();
      await world.step("holdfast fix --apply --dry-run=server");
      const dryRunWrote = (await version()) !== before;
      const said = { replicas: 1 };
      const theirs = {
        apiVersion: "gateway.envoyproxy.io/v1alpha1",
        kind: "EnvoyProxy",
        metadata: { name: "cluster-gateway", namespace: "modelplane-system" },
        spec: { provider: { kubernetes: { envoyDeployment: said } } },
      };
      const manager = "kubectl apply --server-side --field-manager=argocd-controller -f -";
      await world.step(`${manager} <<'EOF'\n${JSON.stringify(theirs)}\nEOF`);
      const held = await version();
      const refused = await world.step("holdfast fix --apply --yes");
      const refusalWrote = (await version()) !== held;
      // The other manager lets go of it; then it is taken, and put back by hand, and taken once more.
      const { envoyDeployment: _, ...nothing } = theirs.spec.provider.kubernetes;
      const released = { ...theirs, spec: { provider: { kubernetes: nothing } } };
      await world.step(`${manager} <<'EOF'\n${JSON.stringify(released)}\nEOF`);
      await world.step("holdfast fix --apply --yes");
      const first = await read(".spec.provider.kubernetes");
      await world.step(
        `kubectl patch ${proxy} --type=merge -p '{"spec":{"provider":{"kubernetes":{"envoyDeployment":{"replicas":1}}}}}'`,
      );
      const again = await world.step("holdfast fix --apply --yes");
      const second = await read(".spec.provider.kubernetes");
      return {
        about: "`holdfast fix --apply` against a real API server: dry run, another manager's field, and a second time.",
        facts: {
          dryRunWrote,
          refused: lines(refused.err, "refused:"),
          refusalWrote,
          takenByHand: lines(again.err, "set by hand"),
          first: JSON.parse(first),
          second: JSON.parse(second),
        },
      };
    },
  },
  {
    name: "envoy-gateway",
    example: "modelplane-incident",
    owners: false,
    envoyGateway: true,
    async play(world) {
      const changes = await changesOf(world);
      await world.step("holdfast fix --apply --yes");
      const made = await proxiesOf(world);
      for (const node of systemNodes) await drained(world, node);
      const pairs = await ownersAndMade(world);
      return {
        about:
          "The EnvoyProxy of `holdfast fix --apply`, what the real controller makes of it, and of other edits of it.",
        facts: { envoyGateway: "v1.9.1", changes: changes.map(shown), made, pairs },
      };
    },
  },
  {
    name: "envoy-gateway-none",
    example: "modelplane-incident",
    owners: false,
    envoyGateway: true,
    edited: (object) => {
      const { spec } = object;
      if (object.kind === "EnvoyProxy") return null;
      if (object.kind !== "GatewayClass" || !isJsonObject(spec)) return object;
      const { parametersRef: _, ...rest } = spec;
      return { ...object, spec: rest };
    },
    async play(world) {
      const changes = await changesOf(world);
      await world.step("holdfast fix --apply --yes");
      return {
        about: "Without an EnvoyProxy: one is made and the Gateway names it, and the real controller reads it.",
        facts: { envoyGateway: "v1.9.1", changes: changes.map(shown), made: await proxiesOf(world) },
      };
    },
  },
];

/** One node at a time, as the runbook says it. */
async function drained(world: World, node: string): Promise<void> {
  await world.step(`kubectl drain ${node} --ignore-daemonsets --delete-emptydir-data --timeout=120s`);
  await world.step(`kubectl uncordon ${node}`);
}

/** Both cordoned before the first drain, as in the incident. A drain that waits does so until the first node is back. */
async function maintained(world: World, nodes: readonly string[]): Promise<void> {
  await world.step(`kubectl cordon ${nodes.join(" ")}`);
  for (const node of nodes) {
    await world.step(`kubectl drain ${node} --ignore-daemonsets --delete-emptydir-data --timeout=120s`);
    await world.step(`kubectl uncordon ${node}`);
  }
}

function lines(text: string, part: string): readonly string[] {
  return text.split("\n").filter((line) => line.includes(part));
}

/** The changes proposed now, against the live plane. */
async function changesOf(world: World): Promise<readonly JsonObject[]> {
  const { out } = await world.run("holdfast fix -o json");
  const report: Json = JSON.parse(out);
  const changes = isJsonObject(report) ? report["changes"] : undefined;
  return Array.isArray(changes) ? changes.filter(isJsonObject) : [];
}

function shown({ holds, do: what, target, fields }: JsonObject): string {
  const ref = isJsonObject(target)
    ? `${String(target["kind"])} ${String(target["namespace"])}/${String(target["name"])}`
    : "";
  const list = Array.isArray(fields) && what !== "create" ? fields.filter(isJsonObject) : [];
  return [
    String(holds),
    String(what),
    ref,
    ...list.map(({ path, value }) => `${String(path)}=${JSON.stringify(value)}`),
  ].join(" ");
}

async function composed(world: World, changes: readonly JsonObject[]): Promise<void> {
  for (const { holds, object } of changes) {
    if (holds !== "composition" || !isJsonObject(object)) continue;
    const text = JSON.stringify(object);
    const write = "kubectl apply --server-side --force-conflicts --field-manager=provider-kubernetes -f -";
    await world.step(`${write} <<'EOF'\n${text}\nEOF`);
  }
}

/** How many Ready pods of one owner the fullest node has. */
async function spreadOf(world: World, namespace: string): Promise<JsonObject> {
  const most = new Map<string, number>();
  const counts = new Map<string, number>();
  for (const [pod, node] of await world.places(namespace)) {
    const owner = pod.replace(/-[a-z0-9]+-[a-z0-9]+$/, "");
    const count = (counts.get(`${owner} ${node}`) ?? 0) + 1;
    counts.set(`${owner} ${node}`, count);
    most.set(owner, Math.max(count, most.get(owner) ?? 0));
  }
  return Object.fromEntries([...most].sort(([a], [b]) => (a < b ? -1 : 1)).map(([owner, count]) => [owner, count]));
}
