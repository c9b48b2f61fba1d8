import type { KubeConfig, ResponseContext } from "@kubernetes/client-node";
import { isJsonObject } from "../wire/fields.ts";
import type { Json, JsonObject } from "../wire/snapshot.ts";
import { ApiRefusal, ClusterNotReachable, KubeconfigProblem } from "./errors.ts";

export interface ClientOptions {
  /** Path of a kubeconfig; null: `KUBECONFIG`, else the home folder's, else the pod's own service account. */
  readonly kubeconfig: string | null;
  /** Null: the current one. */
  readonly context: string | null;
  /** How long one answer may take. */
  readonly timeoutMs: number;
  /** How large one answer, a page of 500 objects at most, may be. */
  readonly answerBytesMax: number;
}

export interface Answer {
  readonly status: number;
  readonly body: JsonObject;
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
  config.clusters = config.clusters.map((each) =>
    // `kubectl proxy` and the like: the library asks for this before it speaks without TLS.
    plainLoopback.test(each.server) ? { ...each, skipTLSVerify: true } : each,
  );
  const cluster = config.getCurrentCluster();
  if (cluster === null) throw new KubeconfigProblem(`the context ${config.getCurrentContext()} names no cluster`);
  const http = new library.IsomorphicFetchHttpLibrary();
  const server = cluster.server.replace(/\/+$/, "");

  const once = async (path: string, accept: string, sending: Sending | null = null): Promise<Answer> => {
    const method = sending === null ? library.HttpMethod.GET : library.HttpMethod[sending.method];
    const request = new library.RequestContext(`${server}${path}`, method);
    request.setHeaderParam("Accept", accept);
    request.setHeaderParam("User-Agent", "holdfast");
    request.setSignal(AbortSignal.timeout(options.timeoutMs));
    if (sending !== null) {
      request.setHeaderParam("Content-Type", sending.contentType);
      request.setBody(JSON.stringify(sending.body));
    }
    await config.applySecurityAuthentication(request);
    const response = await http.send(request).toPromise();
    return { status: response.httpStatusCode, body: parsedBody(await textOf(response, options.answerBytesMax)) };
  };

  return {
    name: config.getCurrentContext(),
    namespace: config.getContextObject(config.getCurrentContext())?.namespace ?? "default",
    async get(path, accept = "application/json"): Promise<JsonObject> {
      const answer = await patiently(() => once(path, accept), server, options.timeoutMs);
      if (answer.status >= 200 && answer.status < 300) return answer.body;
      throw refusalOf(answer, server);
    },
    async send(sending): Promise<Answer> {
      try {
        return await once(sending.path, "application/json", sending);
      } catch (error) {
        throw unreachable(error, server, options.timeoutMs);
      }
    },
  };
}

const plainLoopback = /^http:\/\/(?:127\.\d+\.\d+\.\d+|localhost|\[::1\])(?=[:/]|$)/;

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

async function textOf({ body }: ResponseContext, bytesMax: number): Promise<string> {
  const stream = body.stream();
  if (stream === null) return "";
  const decoder = new TextDecoder();
  let bytes = 0;
  let text = "";
  for await (const chunk of stream) {
    bytes += chunk.byteLength;
    // Leaving the loop early closes the connection.
    if (bytes > bytesMax) throw new ApiRefusal(0, `an answer is larger than ${bytesMax} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

const attempts = 4;

/** A busy server (429, 5xx) and a broken connection are asked again, a little later each time. */
async function patiently(ask: () => Promise<Answer>, server: string, timeoutMs: number): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const answer = await ask();
      const isBusy = answer.status === 429 || answer.status >= 500;
      if (!isBusy || attempt === attempts) return answer;
    } catch (error) {
      if (error instanceof ApiRefusal) throw error;
      if (attempt === attempts || !isTransient(error)) throw unreachable(error, server, timeoutMs);
    }
    await pause(100 * 3 ** (attempt - 1));
  }
}

/** Nobody listening, an unknown host or a wrong certificate do not change within a second. */
function isTransient(error: unknown): boolean {
  return ["ECONNRESET", "UND_ERR_SOCKET", "EPIPE"].includes(codeOf(error));
}

function unreachable(error: unknown, server: string, timeoutMs: number): ClusterNotReachable {
  const isTimeout = error instanceof Error && error.name === "TimeoutError";
  const reason = isTimeout ? `no answer within ${timeoutMs / 1000} s` : causeOf(error);
  return new ClusterNotReachable(`the cluster at ${server} cannot be reached: ${reason}`);
}

function refusalOf(answer: Answer, server: string): Error {
  const words = answer.body["message"];
  const message = typeof words === "string" && words !== "" ? words : `status ${answer.status}`;
  if (answer.status === 401) {
    return new ClusterNotReachable(`the cluster at ${server} does not know these credentials: ${message}`);
  }
  return new ApiRefusal(answer.status, message);
}

function parsedBody(text: string): JsonObject {
  try {
    const body: Json = JSON.parse(text);
    return isJsonObject(body) ? body : {};
  } catch {
    return { message: text.slice(0, 200) };
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
