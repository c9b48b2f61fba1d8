import { matchesName } from "../base/wildcard.ts";
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
export function chooseEndpoints(routes: Routes, choice: EndpointChoice, floors: readonly FloorRule[]): Routes {
  const endpoints = routes.endpoints.filter((endpoint) => isChosen(endpoint, choice)).map((e) => withFloor(e, floors));
  return { ...routes, endpoints };
}

function isChosen(endpoint: Endpoint, { namespaces, names, selector }: EndpointChoice): boolean {
  if (namespaces.length > 0 && !namespaces.includes(endpoint.namespace)) return false;
  const full = `${endpoint.namespace}/${endpoint.name}`;
  if (names.length > 0 && !names.includes(endpoint.name) && !names.includes(full)) return false;
  if (selector === "") return true;
  const parsed = parseSelectorText(selector);
  return parsed.ok;
}

function withFloor(endpoint: Endpoint, floors: readonly FloorRule[]): Endpoint {
  const name = `${endpoint.namespace}/${endpoint.name}`;
  const rule = floors.find(({ match }) => matchesName(match, name));
  if (rule === undefined) return endpoint;
  return {
    ...endpoint,
    minAvailable: rule.minAvailable === "" ? endpoint.minAvailable : rule.minAvailable,
    maxDownMs: rule.maxDownMs ?? endpoint.maxDownMs,
  };
}
