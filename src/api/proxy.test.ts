import assert from "node:assert/strict";
import { test } from "node:test";
import { proxyOf } from "./proxy.ts";

/** Name, server, environment, proxy. Mirrors: golang.org/x/net/http/httpproxy, which kubectl uses. */
const rows: readonly (readonly [string, string, Readonly<Record<string, string>>, string | null])[] = [
  ["nothing is set", "https://api.example.com", {}, null],
  ["upper case", "https://api.example.com", { HTTPS_PROXY: "http://proxy:3128" }, "http://proxy:3128"],
  ["lower case comes first", "https://a.b", { https_proxy: "http://p:1", HTTPS_PROXY: "http://q:1" }, "http://p:1"],
  ["without a scheme", "https://a.b", { https_proxy: "proxy:3128" }, "http://proxy:3128"],
  ["the proxy of another scheme", "https://a.b", { http_proxy: "http://p:1" }, null],
  ["this machine", "https://127.0.0.1:6443", { https_proxy: "http://p:1" }, null],
  ["this machine, version 6", "https://[::1]:6443", { https_proxy: "http://p:1" }, null],
  ["all are exempt", "https://a.b", { https_proxy: "http://p:1", no_proxy: "*" }, null],
  [
    "a domain and what is below it",
    "https://api.example.com",
    { https_proxy: "p:1", NO_PROXY: "x, example.com" },
    null,
  ],
  ["the domain itself", "https://example.com", { https_proxy: "p:1", no_proxy: "example.com" }, null],
  [
    "a dot means only what is below",
    "https://example.com",
    { https_proxy: "p:1", no_proxy: ".example.com" },
    "http://p:1",
  ],
  [
    "a name that only ends alike",
    "https://myexample.com",
    { https_proxy: "p:1", no_proxy: "example.com" },
    "http://p:1",
  ],
  ["another port", "https://a.b:6443", { https_proxy: "p:1", no_proxy: "a.b:443" }, "http://p:1"],
  ["an address", "https://10.1.2.3", { https_proxy: "p:1", no_proxy: "10.1.2.3" }, null],
  ["a network", "https://10.1.2.3", { https_proxy: "p:1", no_proxy: "10.0.0.0/8" }, null],
  ["another network", "https://11.1.2.3", { https_proxy: "p:1", no_proxy: "10.0.0.0/8" }, "http://p:1"],
  ["a network with nonsense", "https://10.1.2.3", { https_proxy: "p:1", no_proxy: "10.0.0.0/99" }, "http://p:1"],
];
for (const [name, server, environment, proxy] of rows) {
  test(name, () => assert.equal(proxyOf(new URL(server), new Map(Object.entries(environment))), proxy));
}
