import { argumentsOf, argumentTextOf, type Part } from "./facts.ts";

/** The name clients ask for, as the engine's arguments say it; "" when they do not. */
export function servedModel(parts: readonly Part[]): string {
  for (const flag of ["--served-model-name", "--model-name", "--model", "--model-path", "--model-id"]) {
    for (const part of parts) {
      const value = flagValue(argumentsOf(part), flag);
      if (value !== "") return value;
    }
  }
  for (const part of parts) {
    const words = argumentsOf(part).flatMap((text) => text.split(/\s+/));
    const served = words.indexOf("serve");
    const name = words[served + 1] ?? "";
    if (served > 0 && words[served - 1] === "vllm" && !name.startsWith("-")) return name;
  }
  return "";
}

/** `--flag value` or `--flag=value`; "" when absent. Shell text in one argument is looked into. */
export function flagValue(texts: readonly string[], flag: string): string {
  const words = texts.flatMap((text) => (text.includes(" ") ? text.split(/\s+/) : [text]));
  for (const [index, word] of words.entries()) {
    if (word.startsWith(`${flag}=`)) return unquoted(word.slice(flag.length + 1));
    if (word === flag) return unquoted(words[index + 1] ?? "");
  }
  return "";
}

function unquoted(text: string): string {
  return text.replace(/^["']|["']$/g, "");
}

/**
 * Leader election among pickers: replicas beyond the leader are never Ready.
 * Mirrors: llm-d router v0.10 and Gateway API Inference Extension v1.0 and later.
 */
export function electsLeader(part: Part): boolean {
  const words = argumentsOf(part);
  return words.some((word, index) => {
    if (word === "--ha-enable-leader-election") return words[index + 1] !== "false";
    return word.startsWith("--ha-enable-leader-election=") && !word.endsWith("=false");
  });
}

const engineImages = [
  "vllm",
  "sglang",
  "text-generation-inference",
  "tritonserver",
  "tensorrt-llm",
  "trtllm",
  "lmdeploy",
  "llama.cpp",
  "llama-cpp",
  "ollama/ollama",
  "nvcr.io/nim/",
  "mistral.rs",
  "aphrodite-engine",
  "text-embeddings-inference",
  "huggingfaceserver",
  "localai/localai",
  "xprobe/xinference",
];
const engineWords = ["vllm.entrypoints", "sglang.launch_server", "text-generation-launcher", "llama-server"];

/** Whether the part runs a known model server, by image or command. */
export function runsEngine(part: Part): boolean {
  const images = part.template?.images ?? [];
  if (images.some((image) => engineImages.some((text) => image.toLowerCase().includes(text)))) return true;
  const words = argumentTextOf(part);
  return engineWords.some((text) => words.includes(text)) || /\bvllm serve\b/.test(words);
}

/** Whole ones and shares of them, as their device plugins name them. */
const accelerators =
  /^(nvidia\.com\/|amd\.com\/gpu|gpu\.intel\.com\/|google\.com\/tpu|habana\.ai\/gaudi|aws\.amazon\.com\/neuron|huawei\.com\/Ascend|volcano\.sh\/vgpu|aliyun\.com\/gpu|tencent\.com\/(q|v)gpu|cambricon\.com\/|metax-tech\.com\/|hygon\.com\/|kunlunxin\.com\/|furiosa\.ai\/|rebellions\.ai\/|tenstorrent\.com\/)/;

/** Whether its pods ask for an accelerator, as an extended resource or a claim. */
export function usesAccelerator(part: Part): boolean {
  const template = part.template;
  if (template === null) return false;
  if (template.resourceClaims.length > 0) return true;
  return [...template.requests.scalar.keys()].some((name) => accelerators.test(name));
}
