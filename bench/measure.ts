import { type Counts, stages } from "./stages.ts";

export interface Measured {
  readonly threadCpuMs: number;
  readonly processCpuMs: number;
  readonly wallMs: number;
  readonly peakBytes: number;
  readonly counts: Counts;
}

/** Runs a stage here and now; loading the program itself is not counted. */
export async function measureStage(name: string, folder: string): Promise<Measured> {
  const stage = stages.find((candidate) => candidate.name === name);
  if (stage === undefined) throw new RangeError(`no stage ${name}; there are ${stages.map((each) => each.name)}`);
  stage.before?.(folder);
  const thread = process.threadCpuUsage();
  const whole = process.cpuUsage();
  const startedAt = performance.now();
  const counts = await stage.run(folder);
  const wallMs = performance.now() - startedAt;
  const elsewhere = stage.elsewhere?.();
  return {
    threadCpuMs: elsewhere?.cpuMs ?? milliseconds(process.threadCpuUsage(thread)),
    processCpuMs: elsewhere?.cpuMs ?? milliseconds(process.cpuUsage(whole)),
    wallMs,
    peakBytes: elsewhere?.peakBytes ?? process.resourceUsage().maxRSS * 1024,
    counts,
  };
}

function milliseconds({ user, system }: { readonly user: number; readonly system: number }): number {
  return (user + system) / 1000;
}
