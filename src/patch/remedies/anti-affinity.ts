import { antiAffinityForm } from "../anti-affinity-form.ts";
import type { Remedy } from "../remedy.ts";

/** Required anti-affinity by host with labels the pods really carry: no node ever takes a second one. */
export const antiAffinity: Remedy = antiAffinityForm("anti-affinity", "no two on one node, required", []);
