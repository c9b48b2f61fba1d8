import { isJsonList, isJsonObject } from "../wire/fields.ts";
import type { Json, JsonObject } from "../wire/snapshot.ts";
import { publicDomains, publicWords } from "./public-words.ts";

/**
 * Renames what tells whose cluster it is: every text is taken apart into words, and each word that is not a public one
 * becomes another word, the same everywhere. So names still begin with their owners' names, selectors still select,
 * and references still hold, while nothing can be read back: the new words are numbers in order of appearance.
 */
export class Anonymizer {
  readonly #words = new Map<string, string>();

  object(object: JsonObject): JsonObject {
    const renamed: [string, Json][] = [];
    for (const [name, value] of Object.entries(object)) {
      if (value === undefined || dropped.has(name)) continue;
      const key = fieldName.test(name) ? name : this.#labelKey(name);
      renamed.push([key, this.#field(name, value)]);
    }
    return Object.fromEntries(renamed);
  }

  #field(name: string, value: Json): Json {
    if (typeof value === "string") {
      if (keptWhole.has(name)) return value;
      if (groupFields.has(name)) return this.#group(value);
    }
    return freeTexts.has(name) ? this.#free(value, false) : this.#value(value);
  }

  #value(value: Json): Json {
    if (typeof value === "string") return isEnumerated(value) ? value : this.#text(value);
    if (isJsonList(value)) return value.map((each) => this.#value(each));
    return isJsonObject(value) ? this.object(value) : value;
  }

  /** Texts and maps of people's own: keys are renamed too, and what looks like a word of the API need not be one. */
  #free(value: Json, keepsEnumerated: boolean): Json {
    if (typeof value === "string") return keepsEnumerated && isEnumerated(value) ? value : this.#text(value);
    if (isJsonList(value)) return value.map((each) => this.#free(each, keepsEnumerated));
    if (!isJsonObject(value)) return value;
    const renamed = Object.entries(value).map(([key, each]): [string, Json] => [
      selectorFields.has(key) ? key : this.#labelKey(key),
      this.#free(each ?? null, selectorFields.has(key) ? key === "operator" : isPublicKey(key)),
    ]);
    return Object.fromEntries(renamed);
  }

  /** `serving.kserve.io/v1beta1` stays, `acme.example/v1` does not. */
  #group(text: string): string {
    const slash = text.indexOf("/");
    const group = slash < 0 ? text : text.slice(0, slash);
    return isPublicDomain(group) || !group.includes(".") ? text : this.#text(text);
  }

  /** Keys of labels: whole where the domain is public, else word by word. */
  #labelKey(key: string): string {
    return isPublicKey(key) ? key : this.#text(key);
  }

  #text(text: string): string {
    if (time.test(text)) return text;
    // A resource or a label key as a value: `topology.kubernetes.io/zone`, `nvidia.com/gpu`.
    if (labelKey.test(text) && isPublicKey(text)) return text;
    if (text.startsWith("--")) return this.#argument(text);
    return text.replace(address, (found) => this.#address(found)).replace(word, (found) => this.#word(found));
  }

  /** The flag stays, its value is renamed. */
  #argument(text: string): string {
    const end = text.search(/[=\s]/);
    return end < 0 ? text : `${text.slice(0, end + 1)}${this.#text(text.slice(end + 1))}`;
  }

  #word(found: string): string {
    if (publicWords.has(found.toLowerCase()) || plainNumber.test(found)) return found;
    return `x${this.#indexOf(found).toString(36)}`;
  }

  /** `10.0.12.203`, and as cloud hosts are named, `ip-10-0-12-203`. */
  #address(found: string): string {
    const separator = found.includes("-") ? "-" : ".";
    const index = this.#indexOf(found.replaceAll("-", "."));
    return ["10", (index >> 16) & 255, (index >> 8) & 255, index & 255].join(separator);
  }

  #indexOf(found: string): number {
    const known = this.#words.get(found);
    if (known !== undefined) return Number(known);
    const index = this.#words.size;
    this.#words.set(found, String(index));
    return index;
  }
}

function isPublicKey(key: string): boolean {
  const slash = key.indexOf("/");
  return slash > 0 && isPublicDomain(key.slice(0, slash));
}

function isPublicDomain(domain: string): boolean {
  return publicDomains.some((known) => domain === known || domain.endsWith(`.${known}`));
}

/** Fields that hold one of Kubernetes' own words, a version or an expression, whatever they look like. */
const keptWhole: ReadonlySet<string> = new Set([
  "kind",
  "resourceVersion",
  "kubeletVersion",
  "osImage",
  "operatingSystem",
  "architecture",
  "expression",
  "provisioner",
  "driver",
  "divisor",
]);

/** Fields that hold an API group, with or without its version. */
const groupFields: ReadonlySet<string> = new Set(["apiVersion", "apiGroup", "group"]);

/** Fields of selectors, which stand among label keys. */
const selectorFields: ReadonlySet<string> = new Set(["matchLabels", "matchExpressions", "key", "operator", "values"]);

/** Free text for people: names of everything, and nothing that is reckoned with. */
const dropped: ReadonlySet<string> = new Set(["message", "description", "caBundle", "note"]);

/** Fields whose texts, and whose keys, are people's own, however they look. */
const freeTexts: ReadonlySet<string> = new Set([
  "name",
  "namespace",
  "labels",
  "annotations",
  "matchLabels",
  "nodeSelector",
  "selector",
  "labelSelector",
  "namespaceSelector",
  "values",
  "args",
  "command",
  "image",
  "data",
]);

/** `RollingUpdate`, `DoNotSchedule`, `True`: a word of the API, not of a person. */
function isEnumerated(value: string): boolean {
  return /^[A-Z][A-Za-z]*$/.test(value);
}

const fieldName = /^[a-z][A-Za-z0-9]*$/;
const labelKey = /^[a-z0-9.-]+\/[A-Za-z0-9._-]+$/;
const time = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;
const address = /\b\d{1,3}([.-])\d{1,3}\1\d{1,3}\1\d{1,3}\b/g;
const word = /[A-Za-z0-9]*[A-Za-z\u0080-\uffff][A-Za-z0-9\u0080-\uffff]*/g;
/** Amounts and versions: 500m, 8Gi, v1, 1e3. */
const plainNumber = /^v?\d+(?:m|u|n|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|s|h|ms|e\d+|(?:alpha|beta|rc)\d*)?$/;
