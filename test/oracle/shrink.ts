import type { KubeObject, Question } from "./decision.ts";

type Json = null | boolean | number | string | Json[] | { [field: string]: Json };

/** How many smaller questions are tried before giving up on a still smaller one. */
const triesMax = 4000;

/** Fields an object cannot do without. Pods without a start have no order among equals. */
const kept = new Set([
  "apiVersion",
  "kind",
  "metadata",
  "name",
  "namespace",
  "spec",
  "status",
  "containers",
  "startTime",
]);

/**
 * The smallest question found for which `fails` still holds: first fewer pods to decide, then fewer objects, then fewer fields.
 * Every step keeps a smaller question only when it still fails, so what is left is needed for the difference.
 */
export async function shrink(question: Question, fails: (smaller: Question) => Promise<boolean>): Promise<Question> {
  let tries = 0;
  let best = question;
  const attempt = async (smaller: Question): Promise<boolean> => {
    if (tries >= triesMax) return false;
    tries++;
    if (!(await fails(smaller))) return false;
    best = smaller;
    return true;
  };
  for (const pod of question.pods) {
    if (await attempt({ ...best, pods: [pod], options: { ...best.options, sequence: false } })) break;
  }
  await attempt({ ...best, options: {} });
  let before: number;
  do {
    before = JSON.stringify(best).length;
    await dropObjects();
    await dropFields();
  } while (JSON.stringify(best).length < before && tries < triesMax);
  return best;

  async function dropObjects(): Promise<void> {
    for (let size = Math.max(1, best.objects.length >> 1); size >= 1; size >>= 1) {
      for (let at = 0; at < best.objects.length; ) {
        const objects = [...best.objects.slice(0, at), ...best.objects.slice(at + size)];
        if (!(await attempt({ ...best, objects }))) at += size;
      }
    }
    for (const pod of best.pods) {
      if (best.pods.length > 1) await attempt({ ...best, pods: best.pods.filter((other) => other !== pod) });
    }
  }

  async function dropFields(): Promise<void> {
    for (let i = 0; i < best.objects.length; i++) {
      for (const path of pathsOf(best.objects[i] as unknown as Json)) {
        const object = best.objects[i];
        if (object === undefined) return;
        const without = removed(object as unknown as Json, path);
        if (without === undefined) continue;
        const objects = best.objects.with(i, without as unknown as KubeObject);
        await attempt({ ...best, objects });
      }
    }
  }
}

/** Every place something could be taken away, outermost first, later list items before earlier ones. */
function pathsOf(value: Json, path: readonly string[] = []): string[][] {
  if (value === null || typeof value !== "object") return [];
  const keys = Array.isArray(value) ? Object.keys(value).reverse() : Object.keys(value);
  const here = keys
    .filter((key) => Array.isArray(value) || !kept.has(key) || (path.length > 2 && key !== "startTime"))
    .map((key) => [...path, key]);
  const fields = value as { [field: string]: Json };
  return [...here, ...keys.flatMap((key) => pathsOf(fields[key] ?? null, [...path, key]))];
}

/** A copy without what is at the path; nothing when nothing is there any more. */
function removed(value: Json, path: readonly string[]): Json | undefined {
  const [key, ...rest] = path;
  if (key === undefined || value === null || typeof value !== "object") return undefined;
  if (Array.isArray(value)) {
    const index = Number(key);
    if (index >= value.length) return undefined;
    if (rest.length === 0) return value.toSpliced(index, 1);
    const inner = removed(value[index] ?? null, rest);
    return inner === undefined ? undefined : value.with(index, inner);
  }
  const at = value[key];
  if (at === undefined) return undefined;
  if (rest.length > 0) {
    const inner = removed(at, rest);
    return inner === undefined ? undefined : { ...value, [key]: inner };
  }
  const { [key]: _, ...others } = value;
  return others;
}
