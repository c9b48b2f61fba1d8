import { type Match, partsLike } from "./match.ts";
import type { IngressClass, IngressKind } from "./system.ts";

/** Which classes are meant: by the controller an IngressClass states, or where that was not read, by the class's name. */
interface Classes {
  /** A `*` at the end: any that begin so. */
  readonly controllers: readonly string[];
  readonly classes: RegExp;
}

/** One set of proxies for all Ingresses of the class. */
export function ingressBy(classes: Classes & { readonly proxies: Match }): IngressKind {
  return {
    serves: (ingressClass) => isOf(classes, ingressClass),
    outside: "",
    proxies: (_class, facts) => partsLike(facts, classes.proxies),
  };
}

export function ingressOutside(classes: Classes & { readonly outside: string }): IngressKind {
  return {
    serves: (ingressClass) => isOf(classes, ingressClass),
    outside: classes.outside,
    proxies: () => [],
  };
}

export function isOf({ controllers, classes }: Classes, { name, controller }: IngressClass): boolean {
  if (controller === "") return classes.test(name);
  return controllers.some((known) =>
    known.endsWith("*") ? controller.startsWith(known.slice(0, -1)) : controller === known,
  );
}
