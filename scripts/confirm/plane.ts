import { type ChildProcess, spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { createWriteStream, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Json, JsonObject } from "../../src/wire/snapshot.ts";

export interface Answer {
  readonly status: number;
  readonly body: JsonObject;
}

interface Part {
  readonly name: string;
  readonly process: ChildProcess;
  readonly ended: Promise<void>;
}

const token = "holdfast-confirm";

/**
 * A control plane of its own on loopback: a fresh folder, fresh ports, processes that end when this one does, whatever way it
 * ends. The API server starts alone, so that a cluster can be loaded before any controller looks at it.
 */
export class Plane {
  readonly folder = mkdtempSync(join(tmpdir(), "holdfast-confirm-"));
  readonly #binary: string;
  readonly #parts: Part[] = [];
  readonly #ports = new Map<string, number>();

  constructor(binary: string) {
    this.#binary = binary;
  }

  get kubeconfig(): string {
    return join(this.folder, "kubeconfig");
  }

  async startServer(): Promise<void> {
    for (const name of ["etcd", "peer", "api", "scheduler", "controllers"]) this.#ports.set(name, await freePort());
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    this.#write("sa.key", privateKey.export({ type: "pkcs1", format: "pem" }).toString());
    this.#write("tokens.csv", `${token},holdfast:confirm,1,"system:masters"\n`);
    this.#write("kubeconfig", JSON.stringify(kubeconfigFor(this.#url("api"))));
    const etcd = `http://127.0.0.1:${this.#port("etcd")}`;
    const peer = `http://127.0.0.1:${this.#port("peer")}`;
    this.start("etcd", this.#binary, [
      "etcd",
      "--data-dir",
      join(this.folder, "etcd"),
      "--client",
      etcd,
      "--peer",
      peer,
    ]);
    this.start("kube-apiserver", this.#binary, [
      "kube-apiserver",
      `--etcd-servers=${etcd}`,
      "--bind-address=127.0.0.1",
      "--advertise-address=127.0.0.1",
      `--secure-port=${this.#port("api")}`,
      `--cert-dir=${join(this.folder, "certs")}`,
      `--token-auth-file=${join(this.folder, "tokens.csv")}`,
      "--authorization-mode=AlwaysAllow",
      "--service-cluster-ip-range=10.96.0.0/16",
      "--service-account-issuer=https://confirm.holdfast.dev",
      `--service-account-key-file=${join(this.folder, "sa.key")}`,
      `--service-account-signing-key-file=${join(this.folder, "sa.key")}`,
      "--disable-admission-plugins=ServiceAccount",
      "--endpoint-reconciler-type=none",
      "--enable-priority-and-fairness=false",
    ]);
    await this.#ready("api", "/readyz");
  }

  async startControllers(): Promise<void> {
    const common = [
      `--kubeconfig=${this.kubeconfig}`,
      "--leader-elect=false",
      "--bind-address=127.0.0.1",
      "--authentication-skip-lookup=true",
      "--authentication-tolerate-lookup-failure=true",
    ];
    const scheduler = `--secure-port=${this.#port("scheduler")}`;
    this.start("kube-scheduler", this.#binary, ["kube-scheduler", ...common, scheduler]);
    this.start("kube-controller-manager", this.#binary, [
      "kube-controller-manager",
      ...common,
      `--secure-port=${this.#port("controllers")}`,
      "--controllers=*,-serviceaccount-controller,-serviceaccount-token-controller,-root-ca-certificate-publisher-controller",
      "--kube-api-qps=200",
      "--kube-api-burst=400",
    ]);
    await this.#ready("scheduler", "/healthz");
    await this.#ready("controllers", "/healthz");
  }

  /** A process of this plane's; its standard input is held open until the plane stops. */
  start(name: string, program: string, argv: readonly string[], environment: Record<string, string> = {}): void {
    const child = spawn(program, [...argv], {
      stdio: ["pipe", "pipe", "pipe"],
      cwd: this.folder,
      env: { ...process.env, ...environment },
    });
    const log = createWriteStream(join(this.folder, `${name}.log`));
    child.stdout.pipe(log);
    child.stderr.pipe(log);
    const ended = new Promise<void>((resolve) => {
      child.on("exit", () => resolve());
      child.on("error", () => resolve());
    });
    this.#parts.push({ name, process: child, ended });
  }

  async stop(): Promise<void> {
    for (const { process: child, ended } of this.#parts.toReversed()) {
      child.stdin?.end();
      child.kill("SIGTERM");
      const killed = setTimeout(() => child.kill("SIGKILL"), 2_000);
      await ended;
      clearTimeout(killed);
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  call(method: string, path: string, body?: Json, contentType = "application/json"): Promise<Answer> {
    return ask(`${this.#url("api")}${path}`, {
      method,
      body: body === undefined ? "" : JSON.stringify(body),
      contentType,
    });
  }

  async list(path: string): Promise<readonly JsonObject[]> {
    const { body } = await this.call("GET", path);
    const items = body["items"];
    return Array.isArray(items) ? items : [];
  }

  /** Every event of a watch, until the answer of this function is called. */
  watch(path: string, onEvent: (type: string, object: JsonObject) => void): () => void {
    const url = `${this.#url("api")}${path}?watch=1&allowWatchBookmarks=false`;
    let rest = "";
    const sent = request(
      url,
      { headers: { authorization: `Bearer ${token}` }, rejectUnauthorized: false },
      (response) => {
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => {
          const lines = (rest + chunk).split("\n");
          rest = lines.pop() ?? "";
          for (const line of lines) {
            const event: { type: string; object: JsonObject } = JSON.parse(line);
            onEvent(event.type, event.object);
          }
        });
      },
    );
    sent.on("error", () => {});
    sent.end();
    return () => sent.destroy();
  }

  async #ready(part: string, path: string): Promise<void> {
    for (const until = Date.now() + 90_000; Date.now() < until; await pause(150)) {
      const answer = await ask(`${this.#url(part)}${path}`, { method: "GET", body: "", contentType: "" }).catch(
        () => null,
      );
      if (answer?.status === 200) return;
    }
    throw new Error(`${part} did not answer within 90 s; its log is in ${this.folder}`);
  }

  #write(name: string, text: string): void {
    writeFileSync(join(this.folder, name), text, { mode: 0o600 });
  }

  #port(name: string): number {
    return this.#ports.get(name) ?? 0;
  }

  #url(name: string): string {
    return `https://127.0.0.1:${this.#port(name)}`;
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

function kubeconfigFor(server: string): JsonObject {
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "rig", cluster: { server, "insecure-skip-tls-verify": true } }],
    users: [{ name: "rig", user: { token } }],
    contexts: [{ name: "rig", context: { cluster: "rig", user: "rig" } }],
    "current-context": "rig",
  };
}

function ask(
  url: string,
  { method, body, contentType }: { readonly method: string; readonly body: string; readonly contentType: string },
): Promise<Answer> {
  const headers = {
    authorization: `Bearer ${token}`,
    ...(body === "" ? {} : { "content-type": contentType, "content-length": Buffer.byteLength(body) }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, rejectUnauthorized: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode ?? 0, body: text.startsWith("{") ? JSON.parse(text) : {} });
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
