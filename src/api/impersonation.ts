import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";

/** Headers by which a user of the kubeconfig acts as somebody else. */
export type Impersonation = Readonly<Record<string, string | readonly string[]>>;

/**
 * `as-uid`, `as-groups` and `as-user-extra` of the user, which the client library leaves out: without them the server would
 * judge somebody else's permissions. `as` it sends itself.
 */
export function impersonationOf(
  user: string,
  {
    kubeconfig,
    environment,
  }: { readonly kubeconfig: string | null; readonly environment: ReadonlyMap<string, string> },
  parse: (text: string) => unknown,
): Impersonation {
  for (const file of filesOf(kubeconfig, environment)) {
    const found = listOf(read(file, parse), "users").find((each) => fieldOf(each, "name") === user);
    if (found === undefined) continue;
    return headersOf(fieldOf(found, "user"));
  }
  return {};
}

function headersOf(user: unknown): Impersonation {
  if (typeof fieldOf(user, "as") !== "string") return {};
  const headers: Record<string, string | readonly string[]> = {};
  const uid = fieldOf(user, "as-uid");
  if (typeof uid === "string" && uid !== "") headers["Impersonate-Uid"] = uid;
  const groups = textsOf(fieldOf(user, "as-groups"));
  if (groups.length > 0) headers["Impersonate-Group"] = groups;
  const extra = fieldOf(user, "as-user-extra");
  if (typeof extra !== "object" || extra === null) return headers;
  for (const [key, values] of Object.entries(extra)) {
    // Any letter may be in a key; a header's name takes few.
    headers[`Impersonate-Extra-${encodeURIComponent(key.toLowerCase())}`] = textsOf(values);
  }
  return headers;
}

/** As kubectl looks for them: the first file that names the user counts. */
function filesOf(kubeconfig: string | null, environment: ReadonlyMap<string, string>): readonly string[] {
  if (kubeconfig !== null) return [kubeconfig];
  const listed = (environment.get("KUBECONFIG") ?? "").split(delimiter).filter((file) => file !== "");
  return listed.length > 0 ? listed : [join(environment.get("HOME") ?? homedir(), ".kube", "config")];
}

/** What is wrong with a file was said when the library read it. */
function read(file: string, parse: (text: string) => unknown): unknown {
  try {
    return parse(readFileSync(file, "utf8"));
  } catch {
    return null;
  }
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}

function listOf(value: unknown, name: string): readonly unknown[] {
  const list = fieldOf(value, name);
  return Array.isArray(list) ? list : [];
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}
