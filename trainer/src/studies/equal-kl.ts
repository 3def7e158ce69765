/**
 * Compares arms that end at different distances from the base at equal KL. Some arms define a line
 * from KL to the measure, seed by seed; another arm is compared with that line at its own KL.
 */
import { mean, signFlipTest } from "@waggle/evaluation";
import { standardError, type TrialRun } from "../trials/trial.ts";

type Point = { readonly kl: number; readonly value: number };

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
  const pointOf = (arm: string, seed: number): Point => {
    const run = runs.find((one) => one.arm === arm && one.seed === seed) as TrialRun;
    return { kl: run.kl ?? Number.NaN, value: valueOf(run) };
  };
  return arms.map((arm) => {
    const own = seeds.map((seed) => pointOf(arm, seed));
    const expected = seeds.map((seed, i) =>
      onLine(
        line.map((name) => pointOf(name, seed)),
        (own[i] as Point).kl,
      ),
    );
    const differences = own.map(({ value }, i) => value - (expected[i] as number));
    const oneSided = (sign: number): number =>
      signFlipTest(differences.map((difference) => sign * difference));
    return {
      arm,
      kl: mean(own.map(({ kl }) => kl)),
      value: mean(own.map(({ value }) => value)),
      expected: mean(expected),
      difference: mean(differences),
      error: standardError(differences),
      pValue: Math.min(1, 2 * Math.min(oneSided(1), oneSided(-1))),
    };
  });
}

/** Linear between the points, constant beyond them. */
function onLine(points: readonly Point[], kl: number): number {
  const sorted = points.toSorted((a, b) => a.kl - b.kl);
  const next = sorted.findIndex((point) => point.kl >= kl);
  if (next === 0) return (sorted[0] as Point).value;
  if (next === -1) return (sorted.at(-1) as Point).value;
  const [from, to] = [sorted[next - 1] as Point, sorted[next] as Point];
  return from.value + ((kl - from.kl) / (to.kl - from.kl)) * (to.value - from.value);
}
