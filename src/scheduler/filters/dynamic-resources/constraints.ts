import type { Device, DeviceAttribute, DeviceConstraint } from "../../../model/device.ts";
import type { Features } from "./features.ts";

/** A device about to be given to a request. `request` is the parent's name for an alternative, whose own is in `alternative`. */
export interface Taking {
  readonly request: string;
  /** "" for a request without alternatives. */
  readonly alternative: string;
  readonly driver: string;
  readonly device: Device;
}

/** Follows the devices of one claim. Every successful `add` is undone by one `remove`, last one first. */
export interface Constraint {
  add(taking: Taking): boolean;
  remove(taking: Taking): void;
}

/** Null: a kind of constraint this version does not know. */
export function constraintFrom(constraint: DeviceConstraint, features: Features): Constraint | null {
  const { requests, matchAttribute, distinctAttribute } = constraint;
  const concerns = ({ request, alternative }: Taking): boolean =>
    requests.length === 0 ||
    requests.includes(request) ||
    (alternative !== "" && requests.includes(`${request}/${alternative}`));
  if (matchAttribute !== null) return matching(matchAttribute, concerns);
  if (distinctAttribute === null || !features.consumableCapacity) return null;
  return features.newAllocator ? distinct(distinctAttribute, concerns) : distinctByRequest(distinctAttribute, concerns);
}

type Concerns = (taking: Taking) => boolean;

/** All devices have the attribute, with one value. */
function matching(name: string, concerns: Concerns): Constraint {
  let value: DeviceAttribute | null = null;
  let count = 0;
  return {
    add(taking) {
      if (!concerns(taking)) return true;
      const attribute = attributeOf(taking, name);
      if (attribute === null) return false;
      if (count > 0 && !same(attribute, value)) return false;
      if (count === 0) value = attribute;
      count += 1;
      return true;
    },
    remove(taking) {
      if (concerns(taking)) count -= 1;
    },
  };
}

/** All devices have the attribute, each with a value of its own. */
function distinct(name: string, concerns: Concerns): Constraint {
  const values: DeviceAttribute[] = [];
  return {
    add(taking) {
      if (!concerns(taking)) return true;
      const attribute = attributeOf(taking, name);
      if (attribute === null || values.some((value) => same(value, attribute))) return false;
      values.push(attribute);
      return true;
    },
    remove(taking) {
      if (concerns(taking)) values.pop();
    },
  };
}

/** 1.36 remembers one value a request only: of several devices for one request, the last. */
function distinctByRequest(name: string, concerns: Concerns): Constraint {
  const values = new Map<string, DeviceAttribute>();
  let count = 0;
  return {
    add(taking) {
      if (!concerns(taking)) return true;
      const attribute = attributeOf(taking, name);
      if (attribute === null) return false;
      if (count > 0 && [...values.values()].some((value) => same(value, attribute))) return false;
      values.set(taking.request, attribute);
      count += 1;
      return true;
    },
    remove(taking) {
      if (!concerns(taking)) return;
      values.delete(taking.request);
      count -= 1;
    },
  };
}

/** A name without its domain is the driver's own. */
function attributeOf({ device, driver }: Taking, name: string): DeviceAttribute | null {
  const exact = device.attributes.get(name);
  if (exact !== undefined) return exact;
  const slash = name.indexOf("/");
  if (slash < 0 || name.slice(0, slash) !== driver) return null;
  return device.attributes.get(name.slice(slash + 1)) ?? null;
}

function same(a: DeviceAttribute, b: DeviceAttribute | null): boolean {
  return b !== null && a.type === b.type && a.value === b.value;
}
