import { unreachable } from "../base/invariant.ts";
import type { Block } from "./blocks.ts";
import { checkBlocks } from "./check-blocks.ts";
import { fixBlocks } from "./fix-blocks.ts";
import { planBlocks } from "./plan-blocks.ts";
import { simulationBlocks } from "./simulation-blocks.ts";
import type { Report } from "./types.ts";

export function reportBlocks(report: Report): readonly Block[] {
  switch (report.kind) {
    case "CheckReport":
      return checkBlocks(report);
    case "SimulationReport":
      return simulationBlocks(report);
    case "FixReport":
      return fixBlocks(report);
    case "Plan":
      return planBlocks(report);
    default:
      return unreachable(report);
  }
}
