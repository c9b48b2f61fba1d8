/** Lines of context around a change. */
const around = 3;

/** A unified diff of two texts; "" when they are the same. Names are written as given. */
export function unifiedDiff(
  before: string,
  after: string,
  names: { readonly from: string; readonly to: string },
): string {
  if (before === after) return "";
  const script = editScript(linesOf(before), linesOf(after));
  const hunks = hunksOf(script);
  return `--- ${names.from}\n+++ ${names.to}\n${hunks.map(hunkText).join("")}`;
}

interface Line {
  readonly mark: " " | "-" | "+";
  readonly text: string;
}

interface Hunk {
  readonly fromLine: number;
  readonly toLine: number;
  readonly lines: readonly Line[];
}

function linesOf(text: string): readonly string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  return text.endsWith("\n")
    ? lines.slice(0, -1)
    : [...lines.slice(0, -1), `${lines.at(-1) ?? ""}\n\\ No newline at end of file`];
}

/** What both begin and end with is left alone; between, the longest common run of lines stays. */
function editScript(before: readonly string[], after: readonly string[]): readonly Line[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  ) {
    end += 1;
  }
  const same = (text: string): Line => ({ mark: " ", text });
  return [
    ...before.slice(0, start).map(same),
    ...middle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end).map(same),
  ];
}

/** A table this large is not filled: the whole middle is replaced. */
const largestTable = 4_000_000;

function middle(before: readonly string[], after: readonly string[]): readonly Line[] {
  const gone = (text: string): Line => ({ mark: "-", text });
  const come = (text: string): Line => ({ mark: "+", text });
  if (before.length * after.length > largestTable) return [...before.map(gone), ...after.map(come)];
  const width = after.length + 1;
  const longest = new Uint32Array((before.length + 1) * width);
  const at = (i: number, j: number): number => longest[i * width + j] ?? 0;
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = after.length - 1; j >= 0; j -= 1) {
      longest[i * width + j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    const [left, right] = [before[i], after[j]];
    if (left !== undefined && left === right) {
      lines.push({ mark: " ", text: left });
      i += 1;
      j += 1;
    } else if (left !== undefined && (right === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push(gone(left));
      i += 1;
    } else if (right !== undefined) {
      lines.push(come(right));
      j += 1;
    }
  }
  return lines;
}

function hunksOf(script: readonly Line[]): readonly Hunk[] {
  const shown = new Set<number>();
  script.forEach(({ mark }, index) => {
    if (mark === " ") return;
    for (let near = index - around; near <= index + around; near += 1) shown.add(near);
  });
  const hunks: { fromLine: number; toLine: number; lines: Line[] }[] = [];
  let [from, to, isOpen] = [1, 1, false];
  for (const [index, line] of script.entries()) {
    if (shown.has(index)) {
      if (!isOpen) hunks.push({ fromLine: from, toLine: to, lines: [] });
      hunks.at(-1)?.lines.push(line);
    }
    isOpen = shown.has(index);
    if (line.mark !== "+") from += 1;
    if (line.mark !== "-") to += 1;
  }
  return hunks;
}

function hunkText({ fromLine, toLine, lines }: Hunk): string {
  const fromCount = lines.filter(({ mark }) => mark !== "+").length;
  const toCount = lines.filter(({ mark }) => mark !== "-").length;
  const range = (line: number, count: number): string =>
    `${count === 0 ? line - 1 : line}${count === 1 ? "" : `,${count}`}`;
  const head = `@@ -${range(fromLine, fromCount)} +${range(toLine, toCount)} @@\n`;
  return head + lines.map(({ mark, text }) => `${mark}${text}\n`).join("");
}
