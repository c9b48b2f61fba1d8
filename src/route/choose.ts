import { hint, nearest } from "../base/closest.ts";
import { byCodeUnit } from "../base/ordering.ts";
import type { Problem } from "../base/problem.ts";
import { matchesName } from "../base/wildcard.ts";
import type { Cluster } from "../model/cluster.ts";
import { objectKey } from "../model/key.ts";
import { type Labels, matches } from "../model/labels.ts";
import { parseSelectorText } from "../model/selector-text.ts";
import type { Endpoint } from "../systems/endpoint.ts";
import type { Routes } from "./build.ts";

interface EndpointChoice {
  readonly namespaces: readonly string[];
  readonly selector: string;
  readonly names: readonly string[];
}

interface FloorRule {
  readonly match: string;
  readonly minAvailable: string;
  readonly maxDownMs: number | null;
}

/** The endpoints asked for, with the floors the configuration sets. */
export function chooseEndpoints(
  cluster: Cluster,
  routes: Routes,
  choice: EndpointChoice,
  floors: readonly FloorRule[],
): Routes {
  const endpoints = routes.endpoints
    .filter((endpoint) => isChosen(cluster, endpoint, choice))
    .map((endpoint) => withFloor(endpoint, floors));
  return { ...routes, endpoints };
}

function isChosen(cluster: Cluster, endpoint: Endpoint, { namespaces, names, selector }: EndpointChoice): boolean {
  if (namespaces.length > 0 && !namespaces.includes(endpoint.namespace)) return false;
  if (names.length > 0 && !names.some((name) => isNamed(endpoint, name))) return false;
  if (selector === "") return true;
  const parsed = parseSelectorText(selector);
  return parsed.ok && matches(parsed.selector, labelsOf(cluster, endpoint));
}

function isNamed(endpoint: Endpoint, name: string): boolean {
  return name === endpoint.name || name === fullName(endpoint);
}

function fullName({ namespace, name }: Endpoint): string {
  return `${namespace}/${name}`;
}

/** Labels of the object that declares the endpoint; none where labels of other objects do. */
function labelsOf(cluster: Cluster, { ref }: Endpoint): Labels {
  const key = objectKey(ref);
  const found =
    cluster.others.get(key) ??
    cluster.workloads.get(key) ??
    cluster.services.find((service) => objectKey(service.ref) === key);
  return found?.labels ?? new Map();
}

/** The file that problems about what was asked for carry: nothing was read wrong. */
export const asked = "asked for";

/** Namespaces, endpoints and labels that were asked for and are not here, with what there is. */
export function askedInVain(cluster: Cluster, routes: Routes, choice: EndpointChoice): readonly Problem[] {
  const names = [...new Set(routes.endpoints.map(({ namespace }) => namespace))].sort(byCodeUnit);
  const known = new Set([...cluster.namespaces.keys(), ...names]);
  const inNamespaces = routes.endpoints.filter(
    ({ namespace }) => choice.namespaces.length === 0 || choice.namespaces.includes(namespace),
  );
  const isAllSeen = cluster.notSeen.length === 0;
  const missingNamespaces = choice.namespaces
    .filter((name) => !known.has(name))
    .map((name) => {
      const message = isAllSeen ? `there is no namespace ${name}` : `nothing was seen of a namespace ${name}`;
      const all = [...known].sort(byCodeUnit);
      return inVain("namespace", message, nearest(name, all), all);
    });
  // One mistake, one message: without its namespace no endpoint can be there.
  if (missingNamespaces.length > 0) return missingNamespaces;
  const missing = choice.names
    .filter((name) => !inNamespaces.some((endpoint) => isNamed(endpoint, name)))
    .map((name) => {
      const where = choice.namespaces.length === 0 ? "" : ` in ${choice.namespaces.join(", ")}`;
      const all = routes.endpoints.map(fullName);
      return inVain("endpoint", `there is no model endpoint ${name}${where}`, likely(name, routes.endpoints), all);
    });
  const parsed = parseSelectorText(choice.selector);
  if (!parsed.ok) return [...missing, inVain("selector", parsed.message, [], [])];
  if (missing.length > 0 || choice.selector === "" || inNamespaces.length === 0) return missing;
  return inNamespaces.some((endpoint) => isChosen(cluster, endpoint, choice))
    ? []
    : [inVain("selector", `no model endpoint has the labels ${choice.selector}`, [], [])];
}

/** Endpoints of that very name elsewhere; else those of names that are near. */
function likely(typed: string, endpoints: readonly Endpoint[]): readonly string[] {
  const bare = typed.slice(typed.indexOf("/") + 1);
  const elsewhere = endpoints.filter(({ name }) => name === bare).map(fullName);
  if (elsewhere.length > 0) return elsewhere.slice(0, 3);
  if (typed.includes("/")) return nearest(typed, endpoints.map(fullName));
  return nearest(typed, [...new Set(endpoints.map(({ name }) => name))]);
}

function inVain(path: string, message: string, near: readonly string[], there: readonly string[]): Problem {
  return { file: asked, line: null, path, message: `${message}${hint(near, there)}` };
}

function withFloor(endpoint: Endpoint, floors: readonly FloorRule[]): Endpoint {
  const rule = floors.find(({ match }) => matchesName(match, fullName(endpoint)));
  if (rule === undefined) return endpoint;
  return {
    ...endpoint,
    minAvailable: rule.minAvailable === "" ? endpoint.minAvailable : rule.minAvailable,
    maxDownMs: rule.maxDownMs ?? endpoint.maxDownMs,
  };
}
