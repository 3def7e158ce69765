/**
 * A claim as something that can fail: arms that differ in one thing, seeds, and what must hold of the
 * results, written down before they are there. Not a runner.
 */
import { mean, signFlipTest } from "@waggle/evaluation";
import type { EnvironmentSpec } from "@waggle/environments";
import type { Recipe } from "@waggle/learning";
import type { Budget } from "../loop/run-spending.ts";

export type TrialArm = {
  /** Unique in its trial. */
  readonly name: string;
  readonly recipe: Recipe;
  /** What it learns in; held-out tasks are of the same environment. */
  readonly spec: EnvironmentSpec;
  /** Share of the budget that each stage has in a round, adding up to 1; absent = whatever is left. */
  readonly shares?: readonly number[];
};

/** What is run: every arm with every seed. */
export type Experiment = {
  readonly arms: readonly TrialArm[];
  readonly seeds: readonly number[];
  readonly evaluationTasks: number;
  /** Other tasks that the final policy and the base are tried on, by name. */
  readonly probes: readonly { readonly name: string; readonly spec: EnvironmentSpec }[];
  /** Of one run; absent = all steps. */
  readonly budget?: Budget;
  /** Whether the final policy's distance to the base is measured. */
  readonly measuresKl?: boolean;
};

export type Trial = Experiment & {
  /** As a command line gives it. */
  readonly name: string;
  readonly question: string;
  readonly expected: readonly Expectation[];
};

/** One arm with one seed. Shares of tasks solved, in [0, 1]. */
export type TrialRun = {
  readonly arm: string;
  readonly seed: number;
  readonly base: number;
  readonly final: number;
  /** By probe, before and after. */
  readonly probes: {
    readonly [name: string]: { readonly base: number; readonly final: number };
  };
  /** Mean of a held-out trajectory of the final policy. */
  readonly toolCalls: number;
  /** KL to the base, nats a token; absent where it was not measured. */
  readonly kl?: number;
  /** Spent on learning. */
  readonly sampledTokens: number;
  readonly seconds: number;
};

/** What must hold: a mean difference over seeds beyond `by`, at p below `level`; or its absence. */
type Expectation = {
  readonly says: string;
  /** By seed; positive is what is claimed. */
  readonly difference: (of: (arm: string) => TrialRun) => number;
  /** `above` 0 beyond chance, or `not-below`: no worse than `by` in the mean. */
  readonly direction: "above" | "not-below";
  /** Largest p for `above`; margin in shares for `not-below`. */
  readonly limit: number;
};

export type Verdict = {
  readonly says: string;
  readonly holds: boolean;
  /** Mean over seeds, and its standard error. */
  readonly mean: number;
  readonly error: number;
  /** One-sided, of a sign-flip test over seeds. */
  readonly pValue: number;
};

/** @param runs - of every arm with every seed. */
export function verdicts({ expected, seeds }: Trial, runs: readonly TrialRun[]): Verdict[] {
  return expected.map(({ says, difference, direction, limit }) => {
    const differences = seeds.map((seed) =>
      difference((arm) => {
        const run = runs.find((one) => one.arm === arm && one.seed === seed);
        if (run === undefined) throw new RangeError(`no run of ${arm} with seed ${seed}`);
        return run;
      }),
    );
    const average = mean(differences);
    const error = standardError(differences);
    const pValue = signFlipTest(differences);
    const holds = direction === "above" ? average > 0 && pValue <= limit : average >= -limit;
    return { says, holds, mean: average, error, pValue };
  });
}

/** Of the mean, from the sample deviation. */
export function standardError(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const center = mean(values);
  const squares = values.reduce((sum, value) => sum + (value - center) ** 2, 0);
  return Math.sqrt(squares / (values.length - 1) / values.length);
}
