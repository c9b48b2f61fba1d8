import { objectRef, source } from "../model/saved-parts.ts";
import { labels, selector } from "../model/saved-template.ts";
import type { Endpoint, Hop, PodSet, Unheeded } from "../systems/endpoint.ts";
import type { Also, Attach, Knob, Knobs } from "../systems/knobs.ts";
import { type Codec, fields, flag, json, list, nullable, number, oneOf, shared, text, union } from "../wire/codec.ts";
import type { Routes } from "./build.ts";

const attach = nullable(fields<Attach>({ target: objectRef, path: text, value: json }));
const also = nullable(fields<Also>({ target: objectRef, path: text, why: text }));

type KnobOf<K extends Knob["by"]> = Extract<Knob, { readonly by: K }>;

const knob = union<Knob, "by">("by", {
  field: fields<KnobOf<"field">>({
    by: oneOf("field"),
    target: objectRef,
    path: text,
    note: text,
    attach,
    also,
    scales: nullable(text),
  }),
  text: fields<KnobOf<"text">>({ by: oneOf("text"), attach, target: objectRef, key: text, path: text, note: text }),
  helm: fields<KnobOf<"helm">>({
    by: oneOf("helm"),
    value: text,
    live: nullable(fields<NonNullable<KnobOf<"helm">["live"]>>({ target: objectRef, path: text })),
    note: text,
  }),
  budget: fields<KnobOf<"budget">>({ by: oneOf("budget"), note: text, over: nullable(labels) }),
  code: fields<KnobOf<"code">>({ by: oneOf("code"), what: text }),
  none: fields<KnobOf<"none">>({ by: oneOf("none"), why: text }),
});

const podSet = union<PodSet, "by">("by", {
  selector: fields<Extract<PodSet, { by: "selector" }>>({ by: oneOf("selector"), namespace: text, selector }),
  owner: fields<Extract<PodSet, { by: "owner" }>>({ by: oneOf("owner"), owners: list(text) }),
});

const unit = union<Hop["unit"], "kind">("kind", {
  pod: fields<Extract<Hop["unit"], { kind: "pod" }>>({ kind: oneOf("pod") }),
  group: fields<Extract<Hop["unit"], { kind: "group" }>>({ kind: oneOf("group"), groupLabel: text, size: number }),
});

const hop = shared(
  fields<Hop>({
    hop: text,
    component: text,
    onPath: flag,
    needed: flag,
    outlivedMs: nullable(number),
    neededBecause: text,
    ref: objectRef,
    owner: nullable(objectRef),
    pods: podSet,
    service: nullable(text),
    role: text,
    unit,
    desired: nullable(number),
    outside: text,
    leaderElected: flag,
    knobs: fields<Knobs>({ replicas: knob, budget: knob, spread: knob, overwrites: text, managedBy: text }),
  }),
);

type Gap = Endpoint["notModelled"][number];

/** All but what it is called by: read when somebody asks for it. */
const path = fields<Pick<Endpoint, "hops" | "unheeded" | "notModelled">>({
  hops: list(hop),
  unheeded: list(fields<Unheeded>({ route: objectRef, source, asked: text, of: nullable(objectRef) })),
  notModelled: list(fields<Gap>({ what: text, ref: text, couldChange: text })),
});

const named = fields<Omit<Endpoint, keyof Parameters<typeof path.write>[1]>>({
  namespace: text,
  name: text,
  system: text,
  model: text,
  ref: objectRef,
  minAvailable: text,
  maxDownMs: number,
  requestTimeoutMs: nullable(number),
  idle: flag,
});

const endpoint: Codec<Endpoint> = {
  write(to, value) {
    named.write(to, value);
    to.count(to.record(() => path.write(to, value)));
  },
  read(from) {
    const own = named.read(from);
    const record = from.count();
    let read: Pick<Endpoint, "hops" | "unheeded" | "notModelled"> | null = null;
    const rest = (): Pick<Endpoint, "hops" | "unheeded" | "notModelled"> => {
      read ??= from.late(record, path);
      return read;
    };
    return {
      ...own,
      get hops() {
        return rest().hops;
      },
      get unheeded() {
        return rest().unheeded;
      },
      get notModelled() {
        return rest().notModelled;
      },
    };
  },
};

/** What was found of the paths of requests, with the cluster it was found in. */
export const savedRoutes: Codec<Routes> = fields<Routes>({
  endpoints: list(endpoint),
  supporting: list(hop),
  notes: list(fields<Routes["notes"][number]>({ ref: text, message: text, source })),
});
