import type { DrainRule } from "./drain-rule.ts";
import { alreadyDeleted } from "./rules/already-deleted.ts";
import { daemonSet } from "./rules/daemon-set.ts";
import { localStorage } from "./rules/local-storage.ts";
import { mirror } from "./rules/mirror.ts";
import { unreplicated } from "./rules/unreplicated.ts";

/** kubectl's order (pkg/drain/filters.go makeFilters, 0.36.3): the first rule that does not pass names the reason. */
export const drainRules: readonly DrainRule[] = [alreadyDeleted, daemonSet, mirror, localStorage, unreplicated];
