/**
 * Decides whether a candidate has forgotten what it does not practice, from counts on a retention set: tasks that are never
 * trained on, played by the base model and by the candidate with the same seeds. It must not fall on the whole set, on one
 * kind of task, or in the share of readable answers. Trainer and edge compute it from the same numbers.
 *
 * A fall is refused if it is larger than the margin and chance does not explain it: with few tasks, and with a base that
 * solves nearly none of them, chance explains much.
 */
import { WaggleError } from "@waggle/protocol";
import { holm } from "./holm.ts";
import { exactMcNemar } from "./paired-difference.ts";
import type { FallLimits } from "./promotion-gate.ts";

/** Paired outcomes of the tasks of one kind. */
type KindCounts = {
  readonly kind: string;
  readonly tasks: number;
  /** Tasks that only the candidate solved. */
  readonly gained: number;
  /** Tasks that only the base solved. */
  readonly lost: number;
};

/** Results of the base and a candidate on the same retention tasks. */
export type RetentionCounts = {
  /** Tasks that both played. */
  readonly tasks: number;
  /** Tasks with a verdict for both. */
  readonly judged: number;
  /** Tasks with a verdict that the candidate solved. */
  readonly successes: number;
  readonly baseSuccesses: number;
  /** Tasks that the candidate answered in readable text. */
  readonly readable: number;
  readonly baseReadable: number;
  /** Tasks that only the candidate answered in readable text. */
  readonly readableGained: number;
  /** Tasks that only the base answered in readable text. */
  readonly readableLost: number;
  /** Every kind of task with a verdict. */
  readonly kinds: readonly KindCounts[];
};

/** What the gate requires. */
export type RetentionThresholds = {
  /** Tasks that an evaluation must have played; default 0 = none. */
  readonly retentionTasks?: number | undefined;
  /** Largest fall, as a share of the tasks, that always passes; default 0.03. */
  readonly retentionMargin?: number | undefined;
  /** One-sided paired p-value below which a larger fall counts as real. */
  readonly significance: number;
};

/** Results of one version by task. */
export type RetentionVerdicts = {
  /** Whether the task was solved; `null` if the verifier could not judge. */
  readonly successes: readonly (boolean | null)[];
  /** Whether the final answer was readable text. */
  readonly readable: readonly boolean[];
};

/** Smallest share of the tasks that need a verdict. */
const LEAST_JUDGED = 0.75;

/**
 * Counts of a candidate beside the base.
 *
 * @param kinds - `[tasks]` kind of each task.
 * @throws WaggleError `SHAPE_MISMATCH` if the lengths differ.
 */
export function retentionOf(
  kinds: readonly string[],
  base: RetentionVerdicts,
  candidate: RetentionVerdicts,
): RetentionCounts {
  const tasks = kinds.length;
  const lengths = [base, candidate].flatMap(({ successes, readable }) => [
    successes.length,
    readable.length,
  ]);
  if (lengths.some((length) => length !== tasks)) {
    throw new WaggleError(
      "SHAPE_MISMATCH",
      `got ${lengths.join(", ")} outcomes for ${tasks} retention tasks; play the same tasks with both versions`,
    );
  }
  const byKind = new Map<string, KindCounts>();
  let successes = 0;
  let baseSuccesses = 0;
  for (const [i, kind] of kinds.entries()) {
    const before = base.successes[i] ?? null;
    const after = candidate.successes[i] ?? null;
    if (before === null || after === null) continue;
    successes += after ? 1 : 0;
    baseSuccesses += before ? 1 : 0;
    const known = byKind.get(kind) ?? { kind, tasks: 0, gained: 0, lost: 0 };
    byKind.set(kind, {
      kind,
      tasks: known.tasks + 1,
      gained: known.gained + (after && !before ? 1 : 0),
      lost: known.lost + (before && !after ? 1 : 0),
    });
  }
  const counts = [...byKind.values()];
  const isReadable = (i: number) => ({ before: base.readable[i], after: candidate.readable[i] });
  const pairs = kinds.map((_, i) => isReadable(i));
  return {
    tasks,
    judged: counts.reduce((sum, one) => sum + one.tasks, 0),
    successes,
    baseSuccesses,
    readable: pairs.filter(({ after }) => after).length,
    baseReadable: pairs.filter(({ before }) => before).length,
    readableGained: pairs.filter(({ before, after }) => after && !before).length,
    readableLost: pairs.filter(({ before, after }) => before && !after).length,
    kinds: counts,
  };
}

/**
 * Why the candidate may not be promoted, as a sentence that names what fell; `null` if it may.
 *
 * @param counts - absent: the set was not played.
 */
export function retentionRefusal(
  counts: RetentionCounts | undefined,
  { retentionTasks = 0, retentionMargin: margin = 0.03, significance }: RetentionThresholds,
): string | null {
  if (counts === undefined) {
    return retentionTasks === 0
      ? null
      : `the gate needs ${retentionTasks} retention tasks, and the evaluation has none; pass the folder of a site with a retentionEnvironment as --env`;
  }
  if (!isConsistent(counts)) return "the counts of the retention set contradict each other";
  const { tasks, judged, kinds } = counts;
  if (tasks < retentionTasks) {
    return `the evaluation has ${tasks} retention tasks; the gate needs at least ${retentionTasks}`;
  }
  if (judged < LEAST_JUDGED * tasks) {
    return `only ${judged} of ${tasks} retention tasks have a verdict; the gate needs ${Math.ceil(LEAST_JUDGED * tasks)}`;
  }
  const limits = { margin, significance };
  const { gained, lost } = sumOf(kinds);
  if (isFall({ tasks: judged, gained, lost }, limits)) {
    return `it solved ${counts.successes} of ${judged} retention tasks, the base ${counts.baseSuccesses}; it fell most in ${worstOf(kinds)}`;
  }
  const forgotten = forgottenKinds(kinds, limits);
  if (forgotten.length > 0) return `it fell on the retention tasks of ${worstOf(forgotten)}`;
  const { readable, baseReadable, readableGained, readableLost } = counts;
  if (isFall({ tasks, gained: readableGained, lost: readableLost }, limits)) {
    return `${readable} of its ${tasks} answers to retention tasks were readable text, the base's ${baseReadable}`;
  }
  return null;
}

type Paired = Pick<KindCounts, "tasks" | "gained" | "lost">;

/** The exact test is two-sided, and only falls are refused: half of its p-value is that of a fall. */
const pOfFall = ({ gained, lost }: Paired): number =>
  lost > gained ? exactMcNemar(gained, lost) / 2 : 1;

const isBeyond = ({ tasks, gained, lost }: Paired, margin: number): boolean =>
  tasks > 0 && (lost - gained) / tasks > margin;

function isFall(counts: Paired, { margin, significance }: FallLimits): boolean {
  return isBeyond(counts, margin) && pOfFall(counts) < significance;
}

/**
 * Kinds that fell although the whole set did not, as when a candidate gains in what resembles its practice and loses the
 * rest. The p-values are corrected for the number of kinds on which the versions differ.
 */
function forgottenKinds(
  kinds: readonly KindCounts[],
  { margin, significance }: FallLimits,
): readonly KindCounts[] {
  const differing = kinds.filter(({ gained, lost }) => gained + lost > 0);
  const pValues = holm(differing.map(pOfFall));
  return differing.filter((kind, i) => isBeyond(kind, margin) && (pValues[i] ?? 1) < significance);
}

/** The three kinds with the largest falls: `greeting (4 of 5 lost)`. */
function worstOf(kinds: readonly KindCounts[]): string {
  return kinds
    .filter(({ gained, lost }) => lost > gained)
    .toSorted((a, b) => b.lost - b.gained - (a.lost - a.gained))
    .slice(0, 3)
    .map(({ kind, lost, gained, tasks }) => `${kind} (${lost - gained} of ${tasks} lost)`)
    .join(", ");
}

function sumOf(kinds: readonly KindCounts[]): Paired {
  return kinds.reduce(
    (sum, { tasks, gained, lost }) => ({
      tasks: sum.tasks + tasks,
      gained: sum.gained + gained,
      lost: sum.lost + lost,
    }),
    { tasks: 0, gained: 0, lost: 0 },
  );
}

function isConsistent(counts: RetentionCounts): boolean {
  const { tasks, judged, successes, baseSuccesses, kinds } = counts;
  const all = sumOf(kinds);
  const { readable, baseReadable, readableGained, readableLost } = counts;
  return (
    tasks > 0 &&
    judged <= tasks &&
    all.tasks === judged &&
    areCounts(judged, successes, baseSuccesses, all) &&
    areCounts(tasks, readable, baseReadable, { gained: readableGained, lost: readableLost }) &&
    kinds.every((kind) => kind.gained + kind.lost <= kind.tasks)
  );
}

/** Whether a 2 × 2 table with these margins exists. */
function areCounts(
  tasks: number,
  candidate: number,
  base: number,
  { gained, lost }: Pick<Paired, "gained" | "lost">,
): boolean {
  const both = candidate - gained;
  return both >= 0 && base === both + lost && both + gained + lost <= tasks;
}
