import {
  type Codec,
  type CodecReader,
  type CodecWriter,
  fields,
  file,
  flag,
  map,
  nullable,
  number,
  oneOf,
  shared,
  text,
} from "../wire/codec.ts";
import type { Pod } from "./pod.ts";
import { ColumnPod, PodColumns, type PodKin } from "./pod-columns.ts";
import { resources, template, texts } from "./saved-template.ts";
import { ownNodeOf, TemplateNumbers } from "./template-numbers.ts";

const kin: Codec<PodKin> = shared(
  fields<PodKin>({
    namespace: text,
    template,
    owner: nullable(text),
    phase: oneOf("Pending", "Running", "Succeeded", "Failed", "Unknown"),
    ready: flag,
    deleting: flag,
    deletionGraceMs: nullable(number),
    preempted: flag,
    nominatedNodeName: text,
    requests: resources,
    nonZeroMilliCpu: number,
    nonZeroMemoryBytes: number,
    mirror: flag,
    finalizers: texts,
    unschedulableMessage: text,
    ordinal: nullable(number),
    revision: text,
  }),
);

const claimNames: Codec<Pod["claimNames"]> = map(text);

/** By hand and in columns: there are so many. A pod's own part is told as how it differs from the one before. */
export const pods: Codec<readonly Pod[]> = {
  shape: `pods: key, node, template, place, times, restarts and claims of each, and ${kin.shape}`,
  write(to, value) {
    to.count(value.length);
    let before: Before = nothing;
    for (const pod of value) before = writePod(to, pod, before);
  },
  read(from) {
    const columns = new PodColumns(new TemplateNumbers());
    const read: Pod[] = [];
    const length = from.length();
    let before: Before = nothing;
    for (let place = 0; place < length && !from.fault; place += 1) {
      before = readPod(from, columns, read, before);
    }
    return read;
  },
};

interface Before {
  readonly file: string | null;
  readonly line: number;
  readonly createdAtMs: number;
}

const nothing: Before = { file: null, line: 0, createdAtMs: 0 };

/** What a pod has, as bits. */
const has = {
  created: 1,
  started: 2,
  scheduled: 4,
  ready: 8,
  restarts: 16,
  claims: 32,
  otherFile: 64,
  line: 128,
} as const;
/** Whether its template names a node of its own. */
const naming = { none: 0, placed: 1, other: 2 } as const;

function writePod(to: CodecWriter, pod: Pod, before: Before): Before {
  const { createdAtMs, startedAtMs, scheduledAtMs, readyAtMs, restarts, source } = pod;
  const ofColumns = pod instanceof ColumnPod ? pod.kin : pod;
  kin.write(to, ofColumns);
  to.ownText(pod.key);
  to.text(pod.nodeName);
  writeNaming(to, pod, ofColumns);
  let mask = 0;
  const given = (bit: number, holds: boolean): void => {
    if (holds) mask |= bit;
  };
  given(has.created, createdAtMs !== null);
  given(has.started, startedAtMs !== null);
  given(has.scheduled, scheduledAtMs !== null);
  given(has.ready, readyAtMs !== null);
  given(has.restarts, restarts !== 0);
  given(has.claims, pod.claimNames.size > 0);
  given(has.otherFile, source.file !== before.file);
  given(has.line, source.line !== null);
  to.count(mask);
  const created = createdAtMs ?? before.createdAtMs;
  const line = source.line ?? before.line;
  if (createdAtMs !== null) to.number(createdAtMs - before.createdAtMs);
  for (const time of [startedAtMs, scheduledAtMs, readyAtMs]) if (time !== null) to.number(time - created);
  if (restarts !== 0) to.number(restarts);
  if (pod.claimNames.size > 0) claimNames.write(to, pod.claimNames);
  if (source.file !== before.file) file.write(to, source.file);
  if (source.line !== null) to.number(line - before.line);
  return { file: source.file, line, createdAtMs: created };
}

function writeNaming(to: CodecWriter, { template: own, nodeName }: Pod, { template: common }: PodKin): void {
  if (own === common) {
    to.count(naming.none);
    return;
  }
  const node = ownNodeOf(own) ?? "";
  to.count(node === nodeName ? naming.placed : naming.other);
  to.count(own.id);
  if (node !== nodeName) to.text(node);
}

function readPod(from: CodecReader, columns: PodColumns, into: Pod[], before: Before): Before {
  const place = into.length;
  const common = kin.read(from);
  const key = from.ownText();
  const nodeName = from.text();
  const named = from.count();
  const id = named === naming.none ? -1 : from.count();
  if (id >= 0) columns.templates.put(id, common.template, named === naming.placed ? nodeName : from.text());
  const mask = from.count();
  const createdAtMs = (mask & has.created) === 0 ? null : before.createdAtMs + from.number();
  const created = createdAtMs ?? before.createdAtMs;
  const since = (bit: number): number | null => ((mask & bit) === 0 ? null : created + from.number());
  const startedAtMs = since(has.started);
  const scheduledAtMs = since(has.scheduled);
  const readyAtMs = since(has.ready);
  const restarts = (mask & has.restarts) === 0 ? 0 : from.number();
  const own = { key, nodeName, restarts, createdAtMs, startedAtMs, scheduledAtMs, readyAtMs };
  columns.put(place, own, 0);
  columns.putTemplate(place, id);
  if ((mask & has.claims) !== 0) columns.putClaimNames(place, claimNames.read(from));
  const fileName = (mask & has.otherFile) === 0 ? (before.file ?? "") : file.read(from);
  const line = (mask & has.line) === 0 ? null : before.line + from.number();
  columns.putSource(place, fileName, line);
  into.push(new ColumnPod(columns, place, common));
  return { file: fileName, line: line ?? before.line, createdAtMs: created };
}
