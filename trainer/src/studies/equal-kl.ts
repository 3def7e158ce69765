/**
 * Compares arms that end at different distances from the base at equal KL. Some arms define a line
 * from KL to the measure, seed by seed; another arm is compared with that line at its own KL.
 */
import {
  type CurvePoint,
  interpolated,
  mean,
  standardError,
  twoSidedSignFlipTest,
} from "@waggle/evaluation";
import type { TrialRun } from "../trials/trial.ts";

/** The comparison of one arm with the line at its own KL. */
export type AtEqualKl = {
  readonly arm: string;
  /** Means over seeds: the arm's KL, its value, the line's value there, and the difference. */
  readonly kl: number;
  readonly value: number;
  readonly expected: number;
  readonly difference: number;
  readonly error: number;
  /** Two-sided sign-flip test over seeds. */
  readonly pValue: number;
};

/** @param arms - names of the arms to compare; every one has a run with every seed */
export function atEqualKl(
  {
    line,
    arms,
    seeds,
  }: {
    readonly line: readonly string[];
    readonly arms: readonly string[];
    readonly seeds: readonly number[];
  },
  runs: readonly TrialRun[],
  valueOf: (run: TrialRun) => number,
): AtEqualKl[] {
  const pointOf = (arm: string, seed: number): CurvePoint => {
    const run = runs.find((one) => one.arm === arm && one.seed === seed) as TrialRun;
    return { x: run.kl ?? Number.NaN, y: valueOf(run) };
  };
  return arms.map((arm) => {
    const own = seeds.map((seed) => pointOf(arm, seed));
    const expected = seeds.map((seed, i) =>
      interpolated(
        line.map((name) => pointOf(name, seed)),
        (own[i] as CurvePoint).x,
      ),
    );
    const differences = own.map(({ y }, i) => y - (expected[i] as number));
    return {
      arm,
      kl: mean(own.map(({ x }) => x)),
      value: mean(own.map(({ y }) => y)),
      expected: mean(expected),
      difference: mean(differences),
      error: standardError(differences),
      pValue: twoSidedSignFlipTest(differences),
    };
  });
}
