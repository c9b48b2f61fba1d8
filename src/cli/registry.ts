import type { Command } from "./command.ts";
import { actors } from "./commands/actors.ts";
import { check } from "./commands/check.ts";
import { completion } from "./commands/completion.ts";
import { explain } from "./commands/explain.ts";
import { fix } from "./commands/fix.ts";
import { plan } from "./commands/plan.ts";
import { simulate } from "./commands/simulate.ts";
import { snapshot } from "./commands/snapshot.ts";
import { systems } from "./commands/systems.ts";

/** In the order help lists them: the questions people come with first. */
export const commands: readonly Command[] = [
  check,
  simulate,
  fix,
  plan,
  explain,
  actors,
  systems,
  snapshot,
  completion,
];
