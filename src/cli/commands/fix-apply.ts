import { pathOf, readObject, type Written } from "../../api/apply.ts";
import { openClient, type WritingClient } from "../../api/client.ts";
import { discover } from "../../api/discovery.ts";
import { ClusterNotReachable, KubeconfigProblem } from "../../api/errors.ts";
import { listed } from "../../base/words.ts";
import { fixTable, headOf } from "../../report/fix-table.ts";
import { counted, visible } from "../../report/text.ts";
import type { Change, FixReport } from "../../report/types.ts";
import { isJsonObject } from "../../wire/fields.ts";
import { pathSteps, sameJson, withValue } from "../../wire/object-path.ts";
import type { Json, JsonObject } from "../../wire/snapshot.ts";
import { ClusterError, exit, UsageError } from "../errors.ts";
import type { Parsed } from "../flags.ts";
import type { Shell } from "../shell.ts";
import { type Target, type Undoable, undo, versionOf, writeChange } from "./fix-write-change.ts";

const timeoutMs = 30_000;

/**
 * Diff, server-side dry run, question, a second look at every object, apply. Stops before anything is written when an object is
 * not the one the changes were computed from, or a field is another manager's.
 */
export async function applyChanges(report: FixReport, parsed: Parsed, shell: Shell, code: number): Promise<number> {
  await shell.out(fixTable(report, shell.look));
  const changes = report.changes.filter(({ holds }) => holds === "live");
  for (const change of report.changes.filter(({ holds }) => holds !== "live")) {
    say(
      shell,
      `left out, belongs ${change.holds === "composition" ? "into the composition" : "upstream"}: ${headOf(change)}`,
    );
  }
  if (changes.length === 0) {
    say(shell, "there is no live change to apply");
    return code;
  }
  try {
    const client = await openClient({
      kubeconfig: parsed.has("kubeconfig") ? parsed.text("kubeconfig") : null,
      environment: shell.environment,
      context: parsed.has("context") ? parsed.text("context") : null,
      timeoutMs,
      answerBytesMax: 64 * 1024 * 1024,
    });
    return await applyThrough(client, changes, parsed, shell, code);
  } catch (error) {
    if (error instanceof ClusterNotReachable) throw new ClusterError(error.message);
    if (error instanceof KubeconfigProblem) throw new UsageError(error.message);
    throw error;
  }
}

async function applyThrough(
  client: WritingClient,
  changes: readonly Change[],
  parsed: Parsed,
  shell: Shell,
  code: number,
): Promise<number> {
  const targets = await look(client, changes);
  const refusals = await refusalsOf(client, targets, shell);
  if (refusals.length > 0) return refuse(shell, refusals);
  say(shell, `the server's dry run took ${counted(targets.length, "change")}`);
  if (parsed.text("dry-run") === "server") return code;
  if (!parsed.has("yes") && !(await agreed(shell, `Apply ${counted(targets.length, "change")} to ${client.name}?`))) {
    say(shell, "nothing was applied");
    return exit.verdict;
  }
  const again = await look(client, changes);
  const moved = again.filter((target, index) => versionOf(target.live) !== versionOf(targets[index]?.live ?? null));
  if (moved.length > 0)
    return refuse(
      shell,
      moved.map(({ change }) => `${headOf(change)}: it changed just now; run \`holdfast fix\` again`),
    );
  return (await writeInEarnest(client, again, shell)) ? code : exit.usage;
}

/** Every object as it is now. Throws when one is not what the changes were computed from. */
async function look(client: WritingClient, changes: readonly Change[]): Promise<readonly Target[]> {
  const resources = await discover(client);
  const targets: Target[] = [];
  for (const change of changes) {
    const path = pathOf(change.target, resources);
    if (path === null) throw new UsageError(`the server has no ${change.target.kind}`);
    const live = await readObject(client, path);
    const stale = staleOf(change, live);
    if (stale !== "") throw new UsageError(`${headOf(change)}: ${stale}; run \`holdfast fix\` again`);
    targets.push({ change, path, live });
  }
  return targets;
}

/** "" when the live object with the change in it is the object the change promised. */
function staleOf(change: Change, live: JsonObject | null): string {
  if (change.do === "create") return live === null ? "" : "there is such an object already";
  if (live === null) return "the object is gone";
  if (change.do === "delete") return "";
  let after: Json = live;
  for (const { path, value } of change.fields) after = withValue(after, pathSteps(path), value ?? undefined) ?? after;
  const promised = change.object?.["spec"];
  return isJsonObject(after) && sameJson(after["spec"], promised) ? "" : "the object is not the one that was looked at";
}

/** Every refusal, with nothing written. */
async function refusalsOf(client: WritingClient, targets: readonly Target[], shell: Shell): Promise<readonly string[]> {
  const refusals: string[] = [];
  for (const target of targets) {
    const { written, note } = await writeChange(client, target, true);
    if (!written.ok) refusals.push(`${headOf(target.change)}: ${reasonOf(written)}`);
    else if (note !== "") say(shell, `${headOf(target.change)}: ${note}`);
  }
  return refusals;
}

/** One after the other. Where one is refused, the server falls silent or Ctrl-C is pressed, what was written is put back. */
async function writeInEarnest(client: WritingClient, targets: readonly Target[], shell: Shell): Promise<boolean> {
  const interruption = shell.interruption();
  const done: Undoable[] = [];
  let reason = "";
  for (const target of targets) {
    if (interruption.aborted) reason = "interrupted";
    else reason = await writeOne(client, target, done);
    if (reason !== "") break;
  }
  if (reason === "") {
    say(shell, `applied ${counted(targets.length, "change")} as field manager holdfast`);
    return true;
  }
  say(shell, reason === "interrupted" ? reason : `refused: ${reason}`);
  for (const each of done.toReversed()) {
    const left = await undo(client, each).catch(wordsOf);
    say(
      shell,
      left === "" ? `put back: ${headOf(each.target.change)}` : `NOT put back: ${headOf(each.target.change)}: ${left}`,
    );
  }
  if (done.length === 0) say(shell, "nothing was applied");
  return false;
}

/** "" when it was written. */
async function writeOne(client: WritingClient, target: Target, done: Undoable[]): Promise<string> {
  try {
    const { written } = await writeChange(client, target, false);
    if (!written.ok) return `${headOf(target.change)}: ${reasonOf(written)}`;
    done.push({ target, after: written.object });
    return "";
  } catch (error) {
    return `${headOf(target.change)}: ${wordsOf(error)}. Whether it was written is not known; look at it`;
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function reasonOf({ message, conflicts }: Extract<Written, { readonly ok: false }>): string {
  if (conflicts.length === 0) return message;
  const managers = Map.groupBy(conflicts, ({ manager }) => manager);
  const parts = [...managers].map(
    ([manager, fields]) => `${manager} has set ${listed(fields.map(({ field }) => field.replace(/^\./, "")))}`,
  );
  return `${parts.join("; ")}. Change it there, or it will be put back`;
}

function refuse(shell: Shell, reasons: readonly string[]): number {
  for (const reason of reasons) say(shell, `refused: ${reason}`);
  return exit.usage;
}

function say(shell: Shell, text: string): void {
  shell.err(`holdfast fix: ${visible(text)}\n`);
}

/** Only a plain yes is one. */
async function agreed(shell: Shell, question: string): Promise<boolean> {
  shell.err(`${visible(question)} [y/N] `);
  const decoder = new TextDecoder();
  let line = "";
  for await (const chunk of shell.stdin) {
    line += decoder.decode(chunk, { stream: true });
    if (line.includes("\n")) break;
  }
  return /^y(?:es)?$/i.test((line.split("\n")[0] ?? "").trim());
}
