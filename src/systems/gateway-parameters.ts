import { groupOf, type ObjectRef } from "../model/key.ts";
import { type Facts, fieldsOf, type Part } from "./facts.ts";
import { gatewayOf } from "./gateway-labels.ts";
import { field, type Knobs, namedByGateway } from "./knobs.ts";
import { refOf } from "./part-rules.ts";

interface Kind {
  readonly kind: string;
  readonly apiVersion: string;
}

/** The parameters a Gateway names, else its class; null: neither names any. */
export function parametersOf(part: Part, facts: Facts, { kind, apiVersion }: Kind): ObjectRef | null {
  const gateway = gatewayOf(part, facts);
  if (gateway === undefined) return null;
  const spec = fieldsOf(gateway).object("spec");
  const own = spec.object("infrastructure").optionalObject("parametersRef");
  if (own !== null) return refOf(facts, { apiVersion, kind, namespace: gateway.ref.namespace, name: own.text("name") });
  const found = facts.other("GatewayClass", groupOf(gateway.ref.apiVersion), "", spec.text("gatewayClassName"));
  const named = found === undefined ? null : fieldsOf(found).object("spec").optionalObject("parametersRef");
  return named === null
    ? null
    : refOf(facts, { apiVersion, kind, namespace: named.text("namespace"), name: named.text("name") });
}

/** Knobs in the parameters; where there are none yet, in ones to be created beside the proxy. */
export function parametersKnobs(
  part: Part,
  facts: Facts,
  kind: Kind,
  paths: { readonly replicas: string; readonly budget: string; readonly spread: string },
): Knobs {
  const known = parametersOf(part, facts, kind);
  const { namespace, name } = part.workload.ref;
  const target = known ?? { ...kind, namespace, name };
  const note =
    known === null ? `Create the ${kind.kind} and name it in Gateway.spec.infrastructure.parametersRef.` : "";
  const gateway = gatewayOf(part, facts);
  const attach = known === null && gateway !== undefined ? namedByGateway(gateway.ref, target) : null;
  const at = (path: string): ReturnType<typeof field> => field(target, path, note, { attach });
  return {
    replicas: at(paths.replicas),
    budget: at(paths.budget),
    spread: at(paths.spread),
    overwrites: "The gateway's controller puts the Deployment back.",
    managedBy: `${kind.kind} ${target.namespace}/${target.name}`,
  };
}
