import type { KubeConfig } from "@kubernetes/client-node";
import { isJsonObject } from "../wire/fields.ts";
import type { Json, JsonObject } from "../wire/snapshot.ts";
import { ApiRefusal, ClusterNotReachable, KubeconfigProblem } from "./errors.ts";
import { impersonationOf } from "./impersonation.ts";
import { proxyOf } from "./proxy.ts";
import { ask } from "./transport.ts";

export interface ClientOptions {
  /** Path of a kubeconfig; null: `KUBECONFIG`, else the home folder's, else the pod's own service account. */
  readonly kubeconfig: string | null;
  /** Null: the current one. */
  readonly context: string | null;
  /** How long one answer may take. */
  readonly timeoutMs: number;
  /** For the proxies it names, where the kubeconfig names none. */
  readonly environment: ReadonlyMap<string, string>;
  /** How large one answer, a page of 500 objects at most, may be. */
  readonly answerBytesMax: number;
}

export interface Answer {
  readonly status: number;
  readonly body: JsonObject;
}

/** An answer as it came. */
interface Heard {
  readonly status: number;
  /** Null: what came is no JSON object. */
  readonly body: JsonObject | null;
  /** Seconds the server asks to wait; null: it does not say. */
  readonly retryAfter: number | null;
}

/** The one way to an API server. Answers are JSON objects; refusals and silence are typed errors. */
export interface Client {
  /** What a person calls the cluster: the context's name. */
  readonly name: string;
  /** The namespace the context names; "default" when it names none. */
  readonly namespace: string;
  /** Throws ApiRefusal for any status but success, ClusterNotReachable when there is no answer. */
  get(path: string, accept?: string): Promise<JsonObject>;
}

/** What changes something, beside reading. */
export interface Sending {
  readonly method: "PATCH" | "POST" | "DELETE";
  readonly path: string;
  readonly contentType: string;
  readonly body: Json;
}

export interface WritingClient extends Client {
  /** Asked once: whether a write that got no answer was done is not known. Any status is an answer. */
  send(sending: Sending): Promise<Answer>;
}

/** Opens the client library late: only commands that talk to a cluster pay for it. */
export async function openClient(options: ClientOptions): Promise<WritingClient> {
  const library = await import("@kubernetes/client-node");
  const config = new library.KubeConfig();
  loadConfig(config, options);
  config.clusters = config.clusters.map((each) => {
    // `kubectl proxy` and the like: the library asks for this before it speaks without TLS.
    if (plainLoopback.test(each.server)) return { ...each, skipTLSVerify: true };
    const proxy = URL.canParse(each.server) ? proxyOf(new URL(each.server), options.environment) : null;
    return each.proxyUrl === undefined && proxy !== null ? { ...each, proxyUrl: proxy } : each;
  });
  const cluster = config.getCurrentCluster();
  if (cluster === null) throw new KubeconfigProblem(`the context ${config.getCurrentContext()} names no cluster`);
  const server = cluster.server.replace(/\/+$/, "");
  const base = urlOf(server);
  const user = config.getCurrentUser()?.name ?? "";
  const impersonation = impersonationOf(user, options, library.loadYaml);

  const once = async (path: string, accept: string, sending: Sending | null = null): Promise<Heard> => {
    const answer = await ask(config, {
      method: sending?.method ?? "GET",
      url: new URL(`${base}${path}`),
      headers: {
        Accept: accept,
        "User-Agent": "holdfast",
        ...impersonation,
        ...(sending === null ? {} : { "Content-Type": sending.contentType }),
      },
      body: sending === null ? null : JSON.stringify(sending.body),
      timeoutMs: options.timeoutMs,
      answerBytesMax: options.answerBytesMax,
    });
    if (answer.status >= 300 && answer.status < 400) throw redirected(server, answer.location);
    return { status: answer.status, body: parsedBody(answer.text), retryAfter: answer.retryAfter };
  };

  return {
    name: config.getCurrentContext(),
    namespace: config.getContextObject(config.getCurrentContext())?.namespace ?? "default",
    async get(path, accept = "application/json"): Promise<JsonObject> {
      const answer = await patiently(() => once(path, accept), server, options.timeoutMs);
      if (answer.status < 200 || answer.status >= 300) throw refusalOf(answer, server);
      if (answer.body === null) throw new ApiRefusal(0, notJson);
      return answer.body;
    },
    async send(sending): Promise<Answer> {
      try {
        const { status, body } = await once(sending.path, "application/json", sending);
        return { status, body: body ?? {} };
      } catch (error) {
        throw unreachable(error, server, options.timeoutMs);
      }
    },
  };
}

const plainLoopback = /^http:\/\/(?:127\.\d+\.\d+\.\d+|localhost|\[::1\])(?=[:/]|$)/;

/** Without the slash at its end. Throws KubeconfigProblem for anything but http and https. */
function urlOf(server: string): string {
  const url = URL.canParse(server) ? new URL(server) : null;
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    throw new KubeconfigProblem(`the kubeconfig names a server that is no web address: ${server.slice(0, 200)}`);
  }
  if (url.protocol === "http:" && !plainLoopback.test(server)) {
    throw new KubeconfigProblem(
      `the kubeconfig's server ${server} is not encrypted (http): credentials are not sent there; write https`,
    );
  }
  return server;
}

function loadConfig(config: KubeConfig, { kubeconfig, context }: ClientOptions): void {
  try {
    if (kubeconfig === null) config.loadFromDefault();
    else config.loadFromFile(kubeconfig);
  } catch (error) {
    throw new KubeconfigProblem(`the kubeconfig cannot be read: ${messageOf(error)}`);
  }
  // Without any kubeconfig the library makes up a cluster on this machine.
  if (kubeconfig === null && context === null && config.getCurrentContext() === "loaded-context") {
    throw new KubeconfigProblem("there is no kubeconfig; name one with --kubeconfig, or read files with --from");
  }
  if (context !== null) {
    if (config.getContextObject(context) === null) {
      const known = config.getContexts().map((each) => each.name);
      throw new KubeconfigProblem(`the kubeconfig has no context ${context}; it has: ${known.join(", ") || "none"}`);
    }
    config.setCurrentContext(context);
  }
  if (config.getContextObject(config.getCurrentContext()) === null) {
    throw new KubeconfigProblem("the kubeconfig has no current context; name one with --context");
  }
}

const attempts = 4;

/** Seconds; a server may ask for more. */
const longestWait = 10;

/** A busy server (429, 5xx) and a broken connection are asked again, a little later each time. */
async function patiently(asking: () => Promise<Heard>, server: string, timeoutMs: number): Promise<Heard> {
  for (let attempt = 1; ; attempt += 1) {
    let wait: number | null = null;
    try {
      const answer = await asking();
      const isBusy = answer.status === 429 || answer.status >= 500;
      if (!isBusy || attempt === attempts) return answer;
      wait = answer.retryAfter;
    } catch (error) {
      if (attempt === attempts || !isTransient(error)) throw unreachable(error, server, timeoutMs);
    }
    await pause(wait === null ? 100 * 3 ** (attempt - 1) : Math.min(wait, longestWait) * 1000);
  }
}

/** Nobody listening, an unknown host or a wrong certificate do not change within a second. */
function isTransient(error: unknown): boolean {
  return ["ECONNRESET", "EPIPE"].includes(codeOf(error));
}

function unreachable(error: unknown, server: string, timeoutMs: number): Error {
  if (error instanceof ApiRefusal || error instanceof ClusterNotReachable) return error;
  const isTimeout = error instanceof Error && (error.name === "TimeoutError" || codeOf(error) === "ABORT_ERR");
  const reason = isTimeout ? `no answer within ${timeoutMs / 1000} s` : causeOf(error);
  const advice = isTimeout ? "is a VPN or a proxy needed?" : adviceOf(codeOf(error));
  return new ClusterNotReachable(
    `the cluster at ${server} cannot be reached: ${reason}${advice === "" ? "" : `; ${advice}`}`,
  );
}

const notSigned =
  "its certificate is not signed by the authority that the kubeconfig names; is it the right one, or stale?";

const advices: ReadonlyMap<string, string> = new Map([
  ["ECONNREFUSED", "nobody listens there; is it the right context, and is the cluster up?"],
  ["ENOTFOUND", "nobody here knows that name; is it the right context, and is a VPN needed?"],
  ["EAI_AGAIN", "names cannot be looked up; is there a network?"],
  ["EHOSTUNREACH", "is a VPN needed?"],
  ["ENETUNREACH", "is there a network?"],
  ["ETIMEDOUT", "is a VPN or a proxy needed?"],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", notSigned],
  ["SELF_SIGNED_CERT_IN_CHAIN", notSigned],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", notSigned],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", notSigned],
  ["CERT_HAS_EXPIRED", "the server's certificate must be renewed, or this machine's clock is wrong"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "its certificate is for another name; set tls-server-name in the kubeconfig"],
]);

function adviceOf(code: string): string {
  if (code.includes("CERTIFICATE_EXPIRED")) return "the kubeconfig's client certificate has expired; get a new one";
  return advices.get(code) ?? "";
}

const notJson = "what it answers is no JSON: is there a login page or a proxy in between?";

function redirected(server: string, location: string): ClusterNotReachable {
  const to = location === "" ? "elsewhere" : `to ${location.slice(0, 200)}`;
  return new ClusterNotReachable(
    `the cluster at ${server} points ${to}, which is not followed, because credentials would go with it; ` +
      "if that is where the API server is, let the kubeconfig say so",
  );
}

function refusalOf(answer: Heard, server: string): Error {
  const words = answer.body?.["message"];
  const message = typeof words === "string" && words !== "" ? words : `status ${answer.status}`;
  if (answer.status === 401) {
    return new ClusterNotReachable(
      `the cluster at ${server} does not know these credentials: ${message}; they may have expired: log in again, or choose another context`,
    );
  }
  if (answer.status === 429) return new ApiRefusal(429, `${message}; the server is busy, run it again a little later`);
  return new ApiRefusal(answer.status, message);
}

function parsedBody(text: string): JsonObject | null {
  try {
    const body: Json = JSON.parse(text);
    return isJsonObject(body) ? body : null;
  } catch {
    return null;
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** fetch wraps the reason once or twice. */
function causeOf(error: unknown): string {
  let at = error;
  while (at instanceof Error && at.cause instanceof Error) at = at.cause;
  return messageOf(at);
}

function codeOf(error: unknown): string {
  let at = error;
  while (at instanceof Error) {
    if ("code" in at && typeof at.code === "string") return at.code;
    at = at.cause;
  }
  return "";
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message !== "" ? message : codeOf(error);
}
