import assert from "node:assert/strict";
import { test } from "node:test";
import { soughtBy } from "./router-arguments.ts";

// Flags as SGLang Model Gateway 0.3 and vLLM router 0.1 document them.

function told(...texts: readonly string[]): readonly string[] {
  return soughtBy(texts).map(({ role, pods, hosts }) => {
    if (pods === null) return `${role}@${hosts.join()}`;
    const labels = pods.selector.requirements.map(
      ({ key, operator, values }) => `${key} ${operator} ${values.join("|")}`,
    );
    return `${role}:${pods.namespace}:${labels.join()}`;
  });
}

test("labels, several after one flag, in the namespace that is named", () => {
  const texts = ["--service-discovery", "--selector", "app=sgl", "tier=gpu", "--service-discovery-namespace", "ml"];
  assert.deepEqual(told(...texts), [":ml:app In sgl,tier In gpu"]);
  assert.deepEqual(told("--service-discovery", "--selector", "app=e,!old"), ["::app In e,old DoesNotExist "]);
  assert.deepEqual(told("--service-discovery", "--selector=app in (sglang, vllm)"), ["::app In sglang|vllm"]);
});

test("prefill and decode apart, by labels or by addresses", () => {
  assert.deepEqual(told("--service-discovery", "--prefill-selector", "role=p", "--decode-selector", "role=d"), [
    "prefill::role In p",
    "decode::role In d",
  ]);
  assert.deepEqual(
    told("--prefill", "http://p1:8000", "9001", "--prefill", "http://p2.ml:8000", "none", "--decode", "grpc://d:8000"),
    ["prefill@p1,p2.ml", "decode@d"],
  );
});

test("addresses, unless discovery is on", () => {
  assert.deepEqual(told("--worker-urls", "http://a:8000", "http://b.ml.svc:8000"), ["@a,b.ml.svc"]);
  assert.deepEqual(told("--service-discovery=static", "--static-backends=http://a,http://b"), ["@a,b"]);
  assert.deepEqual(told("--worker-urls", "http://a", "--service-discovery", "--selector", "app=e"), ["::app In e"]);
  assert.deepEqual(told("--selector", "app=e"), []);
});

test("shell text is looked into", () => {
  const text = "exec smg --service-discovery \\\n  --selector 'app=e' \\\n  --service-discovery-namespace \"ml\"";
  assert.deepEqual(told("bash", "-c", text), [":ml:app In e"]);
});

test("nothing is made up", () => {
  assert.deepEqual(told("python3", "-m", "sglang_router.launch_router", "--port", "30000"), []);
  assert.deepEqual(told("--service-discovery", "--selector", "a=b=c"), []);
});
