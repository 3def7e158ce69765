/**
 * What the runs of a table come to: a recipe's success, cost and curve over its seeds, against the base
 * and against the reference recipe on the same held-out tasks. Numbers only, no words.
 */
import { holm, mean, meanAboveZero, type MeanTest, moderatedTests } from "@waggle/evaluation";
import { type CurvePoint, type RunRecord, successOf } from "./arm.ts";

export type Spread = {
  readonly mean: number;
  /** Over seeds, by n − 1. */ readonly deviation: number;
};

export type RecipeSummary = {
  readonly recipe: string;
  readonly environment: string;
  /** By seed. */
  readonly runs: readonly RunRecord[];
  readonly base: Spread;
  readonly success: Spread;
  /** Success less that of the base. */
  readonly gain: Spread;
  /** Present where every seed of the table is there, of at least two. */
  readonly learned: (MeanTest & { /** Holm's over the table. */ readonly adjusted: number }) | null;
  /** Success less the reference's, seed by seed; `null` for the reference and with fewer than two seeds in common. */
  readonly beside: MeanTest | null;
  readonly sampledTokens: Spread;
  readonly toolCalls: Spread;
  readonly cpuSeconds: Spread;
  readonly seconds: Spread;
  /** Tool calls of one held-out task. */
  readonly callsATask: Spread;
};

/**
 * @param seeds - of a whole table.
 * @param expected - recipes of a whole table: those that are not there count as not having learned.
 */
export function summarize(
  records: readonly RunRecord[],
  seeds: readonly number[],
  reference: string,
  expected: number,
): RecipeSummary[] {
  const groups = Map.groupBy(records, ({ recipe, environment }) => `${recipe} ${environment}`);
  const bySeed = [...groups.values()].map((runs) => runs.toSorted((a, b) => a.seed - b.seed));
  // One seed says nothing of its spread.
  const complete = bySeed.filter(
    (runs) => seeds.length > 1 && seeds.every((seed) => runs.some((run) => run.seed === seed)),
  );
  const tests = moderatedTests(complete.map((runs) => runs.map(gainOf)));
  const absent = Array.from({ length: Math.max(0, expected - tests.length) }, () => 1);
  const adjusted = holm([...tests.map(({ pValue }) => pValue), ...absent]);
  return bySeed.map((runs) => {
    const [{ recipe, environment }] = runs as [RunRecord];
    const at = complete.indexOf(runs);
    const test = tests[at];
    const others = bySeed.find(
      ([first]) => first?.recipe === reference && first.environment === environment,
    );
    return {
      recipe,
      environment,
      runs,
      base: spread(runs.map(({ base }) => successOf(base))),
      success: spread(runs.map(({ final }) => successOf(final))),
      gain: spread(runs.map(gainOf)),
      learned: test === undefined ? null : { ...test, adjusted: adjusted[at] ?? 1 },
      beside: recipe === reference ? null : pairedWith(runs, others ?? []),
      sampledTokens: spread(runs.map(({ spent }) => spent.sampledTokens)),
      toolCalls: spread(runs.map(({ spent }) => spent.toolCalls)),
      cpuSeconds: spread(runs.map(({ spent }) => spent.cpuSeconds)),
      seconds: spread(runs.map(({ spent }) => spent.seconds)),
      callsATask: spread(runs.map(({ final }) => final.toolCallsMean)),
    };
  });
}

function gainOf({ base, final }: RunRecord): number {
  return successOf(final) - successOf(base);
}

/** Success less the others', of the seeds that both have. */
function pairedWith(runs: readonly RunRecord[], others: readonly RunRecord[]): MeanTest | null {
  const differences = runs.flatMap(({ seed, final }) => {
    const other = others.find((run) => run.seed === seed);
    return other === undefined ? [] : [successOf(final) - successOf(other.final)];
  });
  return differences.length < 2 ? null : meanAboveZero(differences);
}

export function spread(values: readonly number[]): Spread {
  const center = mean(values);
  const squares = values.reduce((sum, value) => sum + (value - center) ** 2, 0);
  return { mean: center, deviation: Math.sqrt(squares / Math.max(1, values.length - 1)) };
}

/** Success at a number of sampled tokens, between the evaluations before and after it. */
export function successAt(curve: readonly CurvePoint[], sampledTokens: number): number {
  const after = curve.findIndex((point) => point.sampledTokens >= sampledTokens);
  const next = curve[after];
  const before = curve[after - 1];
  if (next === undefined) return curve.at(-1)?.success ?? 0;
  if (before === undefined) return next.success;
  const share =
    (sampledTokens - before.sampledTokens) / (next.sampledTokens - before.sampledTokens);
  return before.success + share * (next.success - before.success);
}
