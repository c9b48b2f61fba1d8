import type { Progress } from "../report/options.ts";
import { visible } from "../report/text.ts";
import type { Shell } from "./shell.ts";

/** One line on standard error that says what is being done; nothing where that is no terminal. */
export interface ProgressLine {
  draw(text: string): void;
  clear(): void;
}

const atMostEveryMs = 100;

export function progressLine(shell: Shell): ProgressLine {
  if (!shell.showsProgress) return { draw: () => {}, clear: () => {} };
  let drawnAt = 0;
  return {
    draw: (text) => {
      const now = Date.now();
      if (now - drawnAt < atMostEveryMs) return;
      drawnAt = now;
      shell.err(`\r\u001b[K${visible(text).slice(0, (shell.errLook.width ?? 80) - 1)}`);
    },
    clear: () => {
      if (drawnAt > 0) shell.err("\r\u001b[K");
    },
  };
}

/** Runs a generator of the core to its end. Between its steps it may have to hear of others. */
export async function played<T>(
  steps: Generator<Progress, T>,
  shell: Shell,
  turn: (() => Promise<void>) | null = null,
): Promise<T> {
  const line = progressLine(shell);
  try {
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
      const { doing, done, total } = step.value;
      line.draw(`${total === null ? `${done}` : `${done}/${total}`} ${doing}`);
      await turn?.();
    }
  } finally {
    line.clear();
  }
}
