import { parseArgs } from "node:util";
import { measureStage } from "./measure.ts";
import { stages } from "./stages.ts";

/** Runs one stage in this process, or what has to be there before it: `--stage NAME --folder FOLDER [--prepare]`. */
export async function runStage(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      stage: { type: "string", default: "" },
      folder: { type: "string", default: "" },
      prepare: { type: "boolean", default: false },
    },
  });
  if (values.prepare) stages.find(({ name }) => name === values.stage)?.prepare?.(values.folder);
  else process.stdout.write(JSON.stringify(await measureStage(values.stage, values.folder)));
}

if (import.meta.main) await runStage(process.argv.slice(2));
