import { request as plainRequest } from "node:http";
import { type RequestOptions, request as tlsRequest } from "node:https";
import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import type { KubeConfig } from "@kubernetes/client-node";
import { ApiRefusal, CredentialsProblem } from "./errors.ts";

export interface Asked {
  readonly method: "GET" | "PATCH" | "POST" | "DELETE";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Null: none. */
  readonly body: string | null;
  readonly timeoutMs: number;
  readonly answerBytesMax: number;
}

export interface Answered {
  readonly status: number;
  readonly text: string;
  /** Seconds the server asks to wait; null: it does not say. */
  readonly retryAfter: number | null;
  /** Where a redirect points; "" else. */
  readonly location: string;
}

/**
 * One request, one answer: connections are used again, redirects are not followed (credentials go to the server the
 * kubeconfig names and nowhere else), and an answer has a size and a time it may take.
 */
export async function ask(config: KubeConfig, asked: Asked): Promise<Answered> {
  const options: RequestOptions = {
    method: asked.method,
    headers: { ...asked.headers, "Accept-Encoding": "gzip" },
    signal: AbortSignal.timeout(asked.timeoutMs),
  };
  await withCredentials(config, options, asked.timeoutMs);
  const { agent } = options;
  // The library's agents open a connection for every request unless told otherwise.
  if (typeof agent === "object" && "keepAlive" in agent) agent.keepAlive = true;
  return new Promise((resolve, reject) => {
    const send = asked.url.protocol === "http:" ? plainRequest : tlsRequest;
    const request = send(asked.url, options, (response) => {
      const { statusCode = 0, headers } = response;
      const body = headers["content-encoding"] === "gzip" ? response.pipe(createGunzip()) : response;
      response.once("error", reject);
      textOf(body, asked.answerBytesMax).then((text) => {
        const retryAfter = Number(headers["retry-after"] ?? Number.NaN);
        resolve({
          status: statusCode,
          text,
          retryAfter: Number.isFinite(retryAfter) ? retryAfter : null,
          location: headers.location ?? "",
        });
      }, reject);
    });
    request.once("error", reject);
    request.end(asked.body ?? undefined);
  });
}

/** Credential plugins are other people's programs: they may be missing, fail, or never end. */
async function withCredentials(config: KubeConfig, options: RequestOptions, timeoutMs: number): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs / 1000} s`)), timeoutMs);
  try {
    await Promise.race([config.applyToHTTPSOptions(options), late]);
  } catch (error) {
    throw new CredentialsProblem(credentialsText(config, error));
  } finally {
    clearTimeout(timer);
  }
}

function credentialsText(config: KubeConfig, error: unknown): string {
  const plugin: unknown = config.getCurrentUser()?.exec?.command;
  const reason = (error instanceof Error ? error.message : String(error)).trim().slice(0, 1000);
  if (typeof plugin !== "string") return `the credentials of the kubeconfig cannot be used: ${reason}`;
  const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
  if (isMissing) return `the kubeconfig asks the program ${plugin} for credentials, and it is not installed here`;
  return `the program ${plugin}, which the kubeconfig asks for credentials, fails: ${reason === "" ? "it says nothing" : reason}`;
}

async function textOf(body: Readable, bytesMax: number): Promise<string> {
  const decoder = new TextDecoder();
  let bytes = 0;
  let text = "";
  for await (const chunk of body) {
    if (!(chunk instanceof Uint8Array)) continue;
    bytes += chunk.byteLength;
    // Leaving the loop early closes the connection.
    if (bytes > bytesMax) throw new ApiRefusal(0, `an answer is larger than ${bytesMax} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
