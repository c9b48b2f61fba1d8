import type { Progress } from "../report/options.ts";
import { visible } from "../report/text.ts";
import type { Shell } from "./shell.ts";

/** Runs a generator of the core to its end; on a terminal one line says what it is doing. */
export function played<T>(steps: Generator<Progress, T>, shell: Shell): T {
  let drawnAt = 0;
  let drawn = false;
  for (;;) {
    const step = steps.next();
    if (step.done === true) {
      if (drawn) shell.err("\r\u001b[K");
      return step.value;
    }
    const now = shell.showsProgress ? Date.now() : 0;
    if (now - drawnAt < 100) continue;
    drawnAt = now;
    drawn = true;
    const { doing, done, total } = step.value;
    const share = total === null ? `${done}` : `${done}/${total}`;
    shell.err(`\r\u001b[K${visible(`${share} ${doing}`).slice(0, (shell.errLook.width ?? 80) - 1)}`);
  }
}
