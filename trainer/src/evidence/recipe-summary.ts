/**
 * Summarizes the runs of a table: a recipe's success, cost and curve over its seeds, compared with
 * the base and with the reference recipe on the same held-out tasks. Numbers only.
 */
import {
  holm,
  interpolated,
  meanAboveZero,
  type MeanTest,
  moderatedTests,
  spread,
  type Spread,
  type TemperatureCurve,
  temperatureCurve,
} from "@waggle/evaluation";
import { type CurvePoint, type RunRecord, successOf } from "./arm.ts";
import { coincide } from "./coincidence.ts";
import type { ControlLog } from "./control-log.ts";

/** A policy at the temperature with the highest mean success over seeds. */
export type BestTemperature = {
  readonly success: Spread;
  /** 0 = greedy. */
  readonly temperature: number;
  readonly greedy: Spread;
};

/** The summary of one recipe in one environment. */
export type RecipeSummary = {
  readonly recipe: string;
  readonly environment: string;
  /** By seed. */
  readonly runs: readonly RunRecord[];
  readonly base: Spread;
  readonly success: Spread;
  /** Success minus the base's, both at temperature 1. */
  readonly gain: Spread;
  /** The base at its best temperature; `null` unless every seed was measured. */
  readonly control: BestTemperature | null;
  /** The trained policy at its best temperature; `null` for runs from before it was measured. */
  readonly trained: BestTemperature | null;
  /** Best measured success of the trained policy minus the control, seed by seed. */
  readonly gainOverControl: Spread | null;
  /** Recipes with the same run with at least one seed; always empty for the reference. */
  readonly sameAs: readonly string[];
  /**
   * The test of the gain over the control; `null` unless there are at least two seeds, every seed
   * of the table and its control were run, and no other recipe has the same runs.
   */
  readonly learned:
    | (MeanTest & { /** Holm-corrected over the table. */ readonly adjusted: number })
    | null;
  /**
   * Success minus the reference's, seed by seed; `null` for the reference and with fewer than two
   * common seeds.
   */
  readonly beside: MeanTest | null;
  readonly sampledTokens: Spread;
  readonly toolCalls: Spread;
  readonly cpuSeconds: Spread;
  readonly seconds: Spread;
  /** Tool calls per held-out task. */
  readonly callsATask: Spread;
};

/**
 * @param seeds - all seeds of the table
 * @param expected - all recipes of the table: those that were not run, or whose mechanism was
 *   inactive, count as not learning
 */
export function summarize(
  records: readonly RunRecord[],
  seeds: readonly number[],
  reference: string,
  expected: number,
  controls: ControlLog,
): RecipeSummary[] {
  const groups = Map.groupBy(records, ({ recipe, environment }) => `${recipe} ${environment}`);
  const bySeed = [...groups.values()].map((runs) => runs.toSorted((a, b) => a.seed - b.seed));
  const compared = new Map(bySeed.map((runs) => [runs, overControl(runs, controls)]));
  const twins = new Map(
    bySeed.map((runs) => [runs, bySeed.filter((other) => coincide(runs, other))]),
  );
  const sameAs = (runs: readonly RunRecord[]): string[] =>
    runs[0]?.recipe === reference
      ? []
      : (twins.get(runs as RunRecord[]) ?? []).flatMap(([other]) => other?.recipe ?? []);
  // One seed has no spread.
  const complete = bySeed.filter(
    (runs) =>
      seeds.length > 1 &&
      seeds.every((seed) => runs.some((run) => run.seed === seed)) &&
      compared.get(runs)?.gains != null &&
      sameAs(runs).length === 0,
  );
  const tests = moderatedTests(complete.map((runs) => compared.get(runs)?.gains ?? []));
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
      control: bestOf(compared.get(runs)?.control ?? null),
      trained: bestOf(compared.get(runs)?.trained ?? null),
      gainOverControl: spreadOrNull(compared.get(runs)?.gains ?? null),
      sameAs: sameAs(runs),
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

/** The trained policy and its base, each at its best temperature. */
function overControl(
  runs: readonly RunRecord[],
  controls: ControlLog,
): {
  readonly control: TemperatureCurve | null;
  readonly trained: TemperatureCurve | null;
  /** By seed; `null` unless every seed has a control. */
  readonly gains: readonly number[] | null;
} {
  const found = runs.map(({ environment, seed, evaluationTasks }) =>
    controls.find(environment, seed, evaluationTasks),
  );
  const measured = runs.flatMap(({ byTemperature }) => byTemperature ?? []);
  const control = found.every((one) => one !== undefined)
    ? temperatureCurve(found.map(({ successes }) => successes))
    : null;
  const trained = measured.length === runs.length ? temperatureCurve(measured) : null;
  const best = trained?.best ?? runs.map(({ final }) => successOf(final));
  const gains = control?.best.map((base, i) => (best[i] ?? 0) - base) ?? null;
  return { control, trained, gains };
}

function bestOf(curve: TemperatureCurve | null): BestTemperature | null {
  if (curve === null) return null;
  const { best, bestTemperature, greedy } = curve;
  return { success: spread(best), temperature: bestTemperature, greedy: spread(greedy) };
}

function spreadOrNull(values: readonly number[] | null): Spread | null {
  return values === null ? null : spread(values);
}

function gainOf({ base, final }: RunRecord): number {
  return successOf(final) - successOf(base);
}

/** Success minus the other's, over common seeds. */
function pairedWith(runs: readonly RunRecord[], others: readonly RunRecord[]): MeanTest | null {
  const differences = runs.flatMap(({ seed, final }) => {
    const other = others.find((run) => run.seed === seed);
    return other === undefined ? [] : [successOf(final) - successOf(other.final)];
  });
  return differences.length < 2 ? null : meanAboveZero(differences);
}

/** Success at a number of sampled tokens, interpolated between evaluations; 0 without any. */
export function successAt(curve: readonly CurvePoint[], sampledTokens: number): number {
  const points = curve.map((point) => ({ x: point.sampledTokens, y: point.success }));
  return points.length === 0 ? 0 : interpolated(points, sampledTokens);
}
