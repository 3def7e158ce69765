/**
 * A falsifiable claim: arms that differ in one thing, seeds, and the expected results, written down
 * before the runs. Not a runner.
 */
import { mean, signFlipTest, standardError } from "@waggle/evaluation";
import type { EnvironmentSpec } from "@waggle/environments";
import type { Recipe } from "@waggle/learning";
import type { Budget } from "../loop/run-spending.ts";

/** One arm: a recipe in an environment. */
export type TrialArm = {
  /** Unique in its trial. */
  readonly name: string;
  readonly recipe: Recipe;
  /** The training environment; held-out tasks are of the same environment. */
  readonly spec: EnvironmentSpec;
  /**
   * Each stage's share of the budget in a round, summing to 1; absent = each stage uses what is
   * left.
   */
  readonly shares?: readonly number[];
};

/** The runs of an experiment: every arm with every seed. */
export type Experiment = {
  readonly arms: readonly TrialArm[];
  readonly seeds: readonly number[];
  readonly evaluationTasks: number;
  /** Further task sets on which the final policy and the base are evaluated, by name. */
  readonly probes: readonly { readonly name: string; readonly spec: EnvironmentSpec }[];
  /** Budget of one run; absent = all steps. */
  readonly budget?: Budget;
  /** Whether to measure the final policy's distance from the base. */
  readonly measuresKl?: boolean;
};

/** An experiment with expectations. */
export type Trial = Experiment & {
  /** Name on the command line. */
  readonly name: string;
  readonly question: string;
  readonly expected: readonly Expectation[];
};

/** One arm with one seed. Shares of tasks solved are in [0, 1]. */
export type TrialRun = {
  readonly arm: string;
  readonly seed: number;
  readonly base: number;
  readonly final: number;
  /** By probe, before and after. */
  readonly probes: {
    readonly [name: string]: { readonly base: number; readonly final: number };
  };
  /** Of a user's environment. */
  readonly environmentSource?: string;
  /** Mean tool calls per held-out trajectory of the final policy. */
  readonly toolCalls: number;
  /** KL from the base, nats per token; absent if not measured. */
  readonly kl?: number;
  /** Cost of learning. */
  readonly sampledTokens: number;
  readonly seconds: number;
};

/**
 * An expectation: a mean difference over seeds above 0 at p below `level`, or a difference not
 * below a margin.
 */
type Expectation = {
  readonly says: string;
  /** By seed; positive values support the claim. */
  readonly difference: (of: (arm: string) => TrialRun) => number;
  /** `above`: the mean is significantly above 0. `not-below`: the mean is not below −`limit`. */
  readonly direction: "above" | "not-below";
  /** Largest p for `above`; margin in shares for `not-below`. */
  readonly limit: number;
};

/** Whether an expectation holds, with the evidence. */
export type Verdict = {
  readonly says: string;
  readonly holds: boolean;
  /** Mean over seeds, and its standard error. */
  readonly mean: number;
  readonly error: number;
  /** One-sided sign-flip test over seeds. */
  readonly pValue: number;
};

/** @param runs - of every arm with every seed */
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
