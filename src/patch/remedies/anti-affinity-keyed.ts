import { templateHashLabel } from "../../model/labels.ts";
import { antiAffinityForm } from "../anti-affinity-form.ts";
import type { Remedy } from "../remedy.ts";

/** The same among pods of one generation: a new one may start beside an old one, so that a rollout finds room. */
export const antiAffinityKeyed: Remedy = antiAffinityForm(
  "anti-affinity-keyed",
  "no two of one generation on one node, required",
  [templateHashLabel],
);
