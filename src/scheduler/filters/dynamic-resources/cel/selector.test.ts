import { rows } from "../../../../../test/support/rows.ts";
import type { Device } from "../../../../model/device.ts";
import { deviceMatches } from "./selector.ts";

// The answers are the real scheduler's: each expression was put to kube-scheduler 1.36.3 over a device like this one.
const device: Device = {
  name: "gpu-0",
  attributes: new Map([
    ["model", { type: "string", value: "A100-80" }],
    ["cores", { type: "int", value: 108 }],
    ["ecc", { type: "bool", value: true }],
    ["driverVersion", { type: "version", value: "1.10.3-rc.1" }],
    ["resource.kubernetes.io/pcieRoot", { type: "string", value: "pci0000:01" }],
  ]),
  capacity: new Map([["memory", { value: 80 * 2 ** 30, requestPolicy: null }]]),
  consumesCounters: [],
  nodeName: null,
  nodeSelector: null,
  allNodes: false,
  taints: [],
  allowMultipleAllocations: false,
  bindsToNode: false,
  bindingConditions: [],
};

function asked(expression: string): string {
  const match = deviceMatches(expression, "gpu.example.com", device);
  return match.match === "yes" || match.match === "no" ? match.match : `${match.match}: ${match.message}`;
}

const own = `device.attributes["gpu.example.com"]`;
const memory = `device.capacity["gpu.example.com"].memory`;

rows("a device selector", asked, [
  ["the driver", `device.driver == "gpu.example.com"`, "yes"],
  ["an attribute by field", `${own}.model == "A100-80"`, "yes"],
  ["an attribute by index", `${own}["model"] == 'A100-40'`, "no"],
  ["an attribute of another domain", `device.attributes["resource.kubernetes.io"].pcieRoot.startsWith("pci")`, "yes"],
  ["a number", `${own}.cores >= 100 && ${own}.cores < 0x100`, "yes"],
  ["a flag", `!${own}.ecc`, "no"],
  ["signs cancel in pairs before anything else", `!!"x" in ${own}`, "no"],
  ["a quantity", `${memory}.compareTo(quantity("80Gi")) == 0`, "yes"],
  ["a larger quantity", `${memory}.isGreaterThan(quantity("80G"))`, "yes"],
  ["a smaller quantity", `${memory}.isLessThan(quantity("1Ti"))`, "yes"],
  ["a version", `${own}.driverVersion.isGreaterThan(semver("1.9.0"))`, "yes"],
  ["a prerelease comes before its version", `${own}.driverVersion.isLessThan(semver("1.10.3"))`, "yes"],
  ["a forgiving version", `semver("v1.2", true).compareTo(semver("1.2.0")) == 0`, "yes"],
  ["a domain nobody set is empty", `has(device.attributes["other.io"].model)`, "no"],
  ["a domain nobody set is not there", `"other.io" in device.attributes`, "no"],
  ["has", `has(${own}.model)`, "yes"],
  ["an absent attribute is an error", `${own}.nope == 1`, "error: no such key: nope"],
  ["optional access", `${own}.?nope.orValue(7) == 7`, "yes"],
  ["a deciding side absorbs an error", `${own}.nope == 1 || ${own}.ecc`, "yes"],
  ["an undecided one does not", `${own}.nope == 1 && ${own}.ecc`, "error: no such key: nope"],
  ["types do not mix in order", `${own}.model > 3`, "error: no such overload"],
  ["types do not mix in equality", `${own}.model == 3`, "no"],
  ["but versions insist", `${own}.driverVersion == "1.10.3-rc.1"`, "error: no such overload"],
  ["and are different from all else", `${own}.driverVersion != "1.10.3-rc.1"`, "yes"],
  ["a conditional", `${own}.ecc ? ${own}.cores > 200 : true`, "no"],
  ["a list", `${own}.model in ["H100", "A100-80"]`, "yes"],
  ["exists", `["A", "H"].exists(x, ${own}.model.startsWith(x))`, "yes"],
  ["bind", `cel.bind(d, ${own}, d.cores > 100 && d.ecc)`, "yes"],
  ["a pattern", `${own}.model.matches("^A\\\\d{2,3}-(80|40)$")`, "yes"],
  ["a raw pattern", `${own}.model.matches(r"(?i)a1\\d\\d")`, "yes"],
  ["division by zero", `${own}.cores / 0 == 1`, "error: division by zero"],
  [
    "not a bool",
    `${own}.cores`,
    "error: CEL result of type int could not be converted to bool: unsupported type conversion from 'int' to bool",
  ],
]);

// What is outside the subset must not read as true or false.
rows("what is not modelled", (expression) => asked(expression).split(":")[0], [
  ["an unknown function", `${own}.model.reverse() == "x"`, "notModelled"],
  ["an unknown name", `node.name == "a"`, "notModelled"],
  ["a pattern beyond the subset", `${own}.model.matches("\\\\p{Greek}")`, "notModelled"],
  ["bytes", `b"a" == b"a"`, "notModelled"],
  ["what does not parse", `${own}.cores ==`, "notModelled"],
  ["nesting without end", `${"(".repeat(2000)}true${")".repeat(2000)}`, "notModelled"],
  ["a known side still decides", `false && node.ready`, "no"],
]);
