import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import { join } from "node:path";
import { isJsonObject } from "../../src/wire/fields.ts";
import type { JsonObject, WireObject } from "../../src/wire/snapshot.ts";
import { pathOf } from "./load.ts";
import type { Plane } from "./plane.ts";

export const webhookKinds: ReadonlySet<string> = new Set([
  "MutatingWebhookConfiguration",
  "ValidatingWebhookConfiguration",
]);

/**
 * The admission webhooks of a loaded cluster, stood in for: the API server asks them for real, by their own rules and selectors; here one
 * allows everything while its Service has a ready pod, and hangs up while it has none.
 */
export class Webhooks {
  readonly #plane: Plane;
  readonly #readyOf: (service: string) => number;
  #server: Server | null = null;

  /** `readyOf`: how many ready pods stand behind `namespace/name`. */
  constructor(plane: Plane, readyOf: (service: string) => number) {
    this.#plane = plane;
    this.#readyOf = readyOf;
  }

  /** Once the cluster is there: whatever is created from now on is asked about. */
  async start(objects: readonly WireObject[]): Promise<void> {
    const certs = join(this.#plane.folder, "certs");
    const [cert, key] = [readFileSync(join(certs, "apiserver.crt")), readFileSync(join(certs, "apiserver.key"))];
    const server = createServer({ cert, key }, (request, response) => {
      const service = decodeURIComponent((request.url ?? "").slice(1).split("?")[0] ?? "");
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        if (this.#readyOf(service) === 0) {
          request.socket.destroy();
          return;
        }
        const review: JsonObject = JSON.parse(Buffer.concat(chunks).toString());
        const asked = isJsonObject(review["request"]) ? review["request"] : {};
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify({ ...review, response: { uid: asked["uid"] ?? "", allowed: true } }));
      });
    });
    this.#server = server;
    const port = await new Promise<number>((resolve) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address();
        resolve(typeof address === "object" && address !== null ? address.port : 0);
      });
    });
    const caBundle = cert.toString("base64");
    for (const object of objects.filter(({ kind }) => webhookKinds.has(kind))) {
      const listed = object["webhooks"];
      const webhooks = (Array.isArray(listed) ? listed.filter(isJsonObject) : []).flatMap(
        ({ clientConfig, ...rest }) => {
          const service = isJsonObject(clientConfig) ? clientConfig["service"] : undefined;
          if (!isJsonObject(service)) return [];
          const name = encodeURIComponent(`${String(service["namespace"])}/${String(service["name"])}`);
          return [{ ...rest, clientConfig: { url: `https://127.0.0.1:${port}/${name}`, caBundle } }];
        },
      );
      const body = {
        apiVersion: object.apiVersion,
        kind: object.kind,
        metadata: { name: object.metadata["name"] ?? "" },
        webhooks,
      };
      const path = pathOf(object);
      const made = await this.#plane.call("POST", path.slice(0, path.lastIndexOf("/")), body);
      if (made.status >= 300) throw new Error(`${path}: ${JSON.stringify(made.body).slice(0, 400)}`);
    }
  }

  async stop(): Promise<void> {
    const server = this.#server;
    if (server === null) return;
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }
}
