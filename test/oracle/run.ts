import { compareAnswers, type Difference } from "./compare.ts";
import { type Coverage, cover, emptyCoverage } from "./coverage.ts";
import type { Answer, Question } from "./decision.ts";
import { generateCluster } from "./generate/cluster.ts";
import { minorOf, type Oracle, type Version } from "./oracle.ts";

export interface RunOptions {
  readonly version: Version;
  readonly seed: number;
  /** At least so many clusters … */
  readonly clusters: number;
  /** … and at least so many pod × node decisions. */
  readonly decisions: number;
  /** Stop after so many clusters that differ. */
  readonly differencesMax: number;
  /** Only differences whose kind begins with one of these count. Empty: all. */
  readonly kinds: readonly string[];
  /** Clusters about one of these features are left out. */
  readonly skip: readonly string[];
}

export interface Differing {
  readonly seed: number;
  readonly question: Question;
  readonly differences: readonly Difference[];
}

export interface RunResult {
  readonly coverage: Coverage;
  readonly differing: readonly Differing[];
  /** Clusters in which only pods differ of which the real scheduler, asked again, says something else: some of its loops walk over maps. */
  readonly undecided: number;
  /** Questions the oracle itself could not answer: a fault of the instrument. */
  readonly unanswered: readonly { readonly seed: number; readonly error: string }[];
  readonly lastSeed: number;
}

/** Our side of the comparison. */
export type Ours = (question: Question, minor: number) => Answer;

/** How often the real scheduler is asked again before a difference counts: of two entries of a map in Go the second comes first one time in eight. */
const asksAgain = 80;

/** Differences about pods of which the real scheduler says the same each time. */
async function persisting(
  oracle: Oracle,
  question: Question,
  theirs: Answer,
  differences: readonly Difference[],
): Promise<readonly Difference[]> {
  let left = differences;
  for (let i = 0; i < asksAgain && left.length > 0; i++) {
    const wavering = new Set(compareAnswers(question, theirs, await oracle.ask(question)).map(({ pod }) => pod));
    left = left.filter(({ pod }) => !wavering.has(pod));
  }
  return left;
}

/** 1.34 walks pools of devices in the order of a map: the oracle, which looks at each node once more, then finds something else. */
function contradictsItself(minor: number, error: string): boolean {
  return minor < 35 && /, the explanation \d+/.test(error);
}

/** Asks both sides about one drawn cluster after the other. Without `ours` only coverage is counted. */
export async function run(oracle: Oracle, ours: Ours | null, options: RunOptions): Promise<RunResult> {
  const coverage = emptyCoverage();
  const differing: Differing[] = [];
  const unanswered: { seed: number; error: string }[] = [];
  let lastSeed = options.seed;
  let undecided = 0;
  const minor = minorOf(options.version);
  let seed = options.seed;
  const ask = (): { seed: number; question: Question; answer: Promise<Answer> } => {
    let drawn = generateCluster(seed, minor);
    while (drawn.about.some((feature) => options.skip.includes(feature))) drawn = generateCluster(++seed, minor);
    return { seed: seed++, question: drawn, answer: oracle.ask(drawn) };
  };
  // The oracle works on the next ones while we look at this one.
  const ahead = [ask(), ask()];
  for (;;) {
    const next = ahead.shift();
    if (next === undefined) break;
    const theirs = await next.answer;
    lastSeed = next.seed;
    if (theirs.error !== undefined && contradictsItself(minor, theirs.error)) undecided++;
    else if (theirs.error !== undefined) unanswered.push({ seed: next.seed, error: theirs.error });
    else {
      cover(coverage, theirs);
      if (ours !== null) {
        const all = compareAnswers(next.question, theirs, ours(next.question, minor));
        const { kinds } = options;
        const differences = kinds.length === 0 ? all : all.filter(({ kind }) => kinds.some((k) => kind.startsWith(k)));
        const lasting = await persisting(oracle, next.question, theirs, differences);
        if (lasting.length > 0) differing.push({ seed: next.seed, question: next.question, differences: lasting });
        else if (differences.length > 0) undecided++;
      }
    }
    const enough = coverage.clusters >= options.clusters && coverage.decisions >= options.decisions;
    if (enough || differing.length >= options.differencesMax || unanswered.length >= 20) break;
    ahead.push(ask());
  }
  await Promise.all(ahead.map((one) => one.answer));
  return { coverage, differing, undecided, unanswered, lastSeed };
}
