import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { isJsonObject } from "../../src/wire/fields.ts";
import type { JsonObject, WireObject } from "../../src/wire/snapshot.ts";
import { moduleFolder } from "../rig.ts";
import { loadCluster } from "./load.ts";
import { freePort, type Plane, pause } from "./plane.ts";
import type { World } from "./world.ts";

/** What the controller makes the rest of: here it is to make it itself. */
export function isGroupSet({ kind }: WireObject): boolean {
  return kind === "LeaderWorkerSet";
}

/**
 * The LeaderWorkerSet controller itself, beside the plane, with its kind and its webhooks as its module brings them. The sets are
 * handed in last, when the webhooks answer; ready when every pod of theirs has been made.
 */
export async function startGroups(world: World, binary: string, sets: readonly WireObject[]): Promise<void> {
  const { plane } = world;
  const config = join(moduleFolder("lws", "sigs.k8s.io/lws"), "config");
  const kinds = join(config, "crd", "bases");
  const defined = await world.run(
    `kubectl apply --server-side -f '${kinds}' && kubectl wait --for=condition=Established crd --all --timeout=60s`,
  );
  if (defined.code !== 0) throw new Error(`the kinds were not taken: ${defined.err.slice(-600)}`);
  const certs = join(plane.folder, "lws-certs");
  mkdirSync(certs, { mode: 0o700 });
  const port = await freePort();
  plane.start("lws", binary, ["--webhook-port", String(port), "--cert-dir", certs], { KUBECONFIG: plane.kubeconfig });
  const certificate = await written(plane, join(certs, "tls.crt"));
  for (const webhooks of webhooksIn(join(config, "webhook", "manifests.yaml"), { port, certificate }))
    await made(plane, `/apis/admissionregistration.k8s.io/v1/${String(webhooks["kind"]).toLowerCase()}s`, webhooks);
  await answers(world, sets);
}

async function answers(world: World, sets: readonly WireObject[]): Promise<void> {
  const wanted = sets.reduce((sum, { spec }) => sum + podsOf(spec), 0);
  for (const until = Date.now() + 60_000; ; await pause(500)) {
    const refused = await loadCluster(world.plane, sets).then(
      () => "",
      (error: unknown) => String(error),
    );
    if (refused === "") break;
    if (Date.now() > until) throw new Error(`the webhooks do not answer: ${refused}`);
  }
  for (const until = Date.now() + 60_000; Date.now() < until; await pause(300)) {
    const pods = await world.plane.list("/api/v1/pods?labelSelector=leaderworkerset.sigs.k8s.io%2Fname");
    if (pods.length === wanted) return;
  }
  const log = readFileSync(join(world.plane.folder, "lws.log"), "utf8");
  throw new Error(`the LeaderWorkerSet controller made no groups within a minute: ${log.slice(-1500)}`);
}

function podsOf(spec: WireObject[string] | undefined): number {
  const template = isJsonObject(spec) ? spec["leaderWorkerTemplate"] : undefined;
  const size = isJsonObject(template) ? Number(template["size"] ?? 1) : 1;
  return isJsonObject(spec) ? Number(spec["replicas"] ?? 1) * size : 0;
}

/** Those of pods and sets, sent to where the controller listens. */
function webhooksIn(
  file: string,
  { port, certificate }: { readonly port: number; readonly certificate: string },
): readonly JsonObject[] {
  const caBundle = Buffer.from(certificate).toString("base64");
  return parseAllDocuments(readFileSync(file, "utf8")).map((document) => {
    const configuration: JsonObject = document.toJS();
    const listed = configuration["webhooks"];
    const webhooks = (Array.isArray(listed) ? listed.filter(isJsonObject) : []).filter(
      ({ name }) => !String(name).includes("disaggregated"),
    );
    const sent = webhooks.map(({ clientConfig, ...rest }) => {
      const service = isJsonObject(clientConfig) ? clientConfig["service"] : undefined;
      const path = isJsonObject(service) ? String(service["path"]) : "";
      return { ...rest, clientConfig: { url: `https://127.0.0.1:${port}${path}`, caBundle } };
    });
    return { ...configuration, webhooks: sent };
  });
}

async function written(plane: Plane, file: string): Promise<string> {
  for (const until = Date.now() + 30_000; Date.now() < until; await pause(200)) {
    const text = existsSync(file) ? readFileSync(file, "utf8") : "";
    if (text.includes("END CERTIFICATE")) return text;
  }
  throw new Error(
    `the LeaderWorkerSet controller did not start: ${readFileSync(join(plane.folder, "lws.log"), "utf8")}`,
  );
}

async function made(plane: Plane, path: string, object: JsonObject): Promise<void> {
  const { status, body } = await plane.call("POST", path, object);
  if (status >= 300) throw new Error(`${path}: ${JSON.stringify(body).slice(0, 400)}`);
}
