import { parseAllDocuments, stringify } from "yaml";
import { type Random, seededRandom } from "../../src/base/random.ts";

/** The same seed, the same broken input: a cluster's text with a few things wrong in it. */
export function mutated(text: string, seed: number): string {
  const random = seededRandom(seed);
  const documents: unknown[] = parseAllDocuments(text).map((document) => document.toJS());
  const changes = 1 + random.below(4);
  for (let change = 0; change < changes; change += 1) mutateTree(documents, random);
  const written = documents.map((document) => stringify(document, { aliasDuplicateObjects: false })).join("---\n");
  return random.below(4) === 0 ? mutateText(written, random) : written;
}

const strange: readonly unknown[] = [
  null,
  true,
  "",
  "x",
  0,
  -1,
  1.5,
  1e308,
  Number.MAX_SAFE_INTEGER + 2,
  "-5",
  "99999999999999999999",
  "1e9Gi",
  "150%",
  "-1%",
  "0x10",
  "\u0000\u001b[31m",
  "\u202eevil\u2066",
  "\ud800",
  "ﬀ\u0301🚀",
  -0,
  1e21,
  "1e400",
  "9".repeat(400),
  "a".repeat(5000),
  [],
  {},
  [null],
  [[]],
  { "": {} },
  { __proto__: null, constructor: "x" },
  { matchLabels: null },
  { matchExpressions: [{ key: "app", operator: "Nonsense" }] },
  "2026-13-45T99:99:99Z",
  "n1",
  "ml",
  "chat",
];

type Place = { readonly holder: unknown[]; readonly at: number } | { readonly holder: Map; readonly at: string };
/** One object says it is of another's kind. */
function swapKinds(documents: readonly unknown[], random: Random): void {
  const maps = documents.filter(isMap);
  if (maps.length === 0) return;
  const from = random.pick(maps);
  const into = random.pick(maps);
  into["kind"] = from["kind"];
  into["apiVersion"] = from["apiVersion"];
}

interface Map {
  [field: string]: unknown;
}

function mutateTree(documents: unknown[], random: Random): void {
  const places = placesIn(documents);
  if (places.length === 0) return;
  const { holder, at } = random.pick(places);
  switch (random.below(7)) {
    case 0:
      remove(holder, at);
      return;
    case 1:
      put(holder, at, valueAt(random.pick(places)));
      return;
    case 2:
      if (Array.isArray(holder)) holder.push(structuredClone(random.pick(holder)));
      else put(holder, at, [valueAt({ holder, at: String(at) })]);
      return;
    case 3:
      documents.reverse();
      return;
    case 4:
      swapKinds(documents, random);
      return;
    default:
      put(holder, at, random.pick(strange));
  }
}

function placesIn(value: unknown, depth = 0): readonly Place[] {
  if (depth > 12) return [];
  if (Array.isArray(value)) {
    return value.flatMap((inner, at) => [{ holder: value, at }, ...placesIn(inner, depth + 1)]);
  }
  if (!isMap(value)) return [];
  return Object.entries(value).flatMap(([at, inner]) => [{ holder: value, at }, ...placesIn(inner, depth + 1)]);
}

function isMap(value: unknown): value is Map {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

function valueAt({ holder, at }: Place): unknown {
  return structuredClone(Array.isArray(holder) ? holder[Number(at)] : holder[String(at)]);
}

function put(holder: unknown[] | Map, at: number | string, value: unknown): void {
  if (Array.isArray(holder)) holder[Number(at)] = value;
  else holder[String(at)] = value;
}

function remove(holder: unknown[] | Map, at: number | string): void {
  if (Array.isArray(holder)) holder.splice(Number(at), 1);
  else delete holder[String(at)];
}

function mutateText(text: string, random: Random): string {
  const at = random.below(text.length);
  switch (random.below(4)) {
    case 0:
      return text.slice(0, at);
    case 1:
      return (
        text.slice(0, at) +
        random.pick([
          "\t",
          "{",
          "[",
          "]",
          "}",
          "&a ",
          "*a ",
          "!!binary ",
          "\u0000",
          "---\n",
          "? ",
          "'",
          '"',
          "\ufeff",
        ]) +
        text.slice(at)
      );
    case 2:
      return text.slice(0, at) + text.slice(at + 1 + random.below(40));
    default:
      return text + text.slice(at);
  }
}
