/** What each arm of the study `live-signals` gained, from its runs. No text. */
import { mean, standardError } from "@waggle/evaluation";
import type { SignalRun } from "./run-cell.ts";
import { SIGNAL_ARMS, type SignalArm } from "./signal-arms.ts";

/** With fewer seeds, the page states no answer. */
export const LEAST_SEEDS = 5;
/** Standard errors by which an arm must lie above its control. */
const SURE = 3;

/** What one arm gained at one site, in points; means over the seeds that the arm and its control have. */
export type SignalGain = {
  readonly site: string;
  readonly arm: SignalArm;
  readonly seeds: number;
  readonly answered: number;
  readonly final: number;
  readonly shuffledFinal: number;
  readonly gain: number;
  readonly overControl: number;
  /** Of `overControl`; NaN for one seed. */
  readonly error: number;
  readonly greedyGain: number;
};

/** Gains by site and arm, in the order of the study. Arms without a pair of runs are left out. */
export function signalGains(runs: readonly SignalRun[]): SignalGain[] {
  const sites = [...new Set(runs.map(({ site }) => site))];
  return sites.flatMap((site) =>
    SIGNAL_ARMS.flatMap((arm): SignalGain[] => {
      const own = runs.filter((run) => run.site === site && run.arm === arm.name);
      const pairs = own.flatMap((run) => {
        const control = own.find((one) => one.isShuffled && one.seed === run.seed);
        return run.isShuffled || control === undefined ? [] : [{ run, control }];
      });
      if (pairs.length === 0) return [];
      const points = (of: (pair: (typeof pairs)[number]) => number): number[] =>
        pairs.map((pair) => 100 * of(pair));
      const over = points(({ run, control }) => run.final - control.final);
      return [
        {
          site,
          arm,
          seeds: pairs.length,
          answered: mean(pairs.map(({ run }) => run.answered)),
          final: mean(points(({ run }) => run.final)),
          shuffledFinal: mean(points(({ control }) => control.final)),
          gain: mean(points(({ run }) => run.final - run.base)),
          overControl: mean(over),
          error: over.length > 1 ? standardError(over) : Number.NaN,
          greedyGain: mean(points(({ run }) => run.greedyFinal - run.greedyBase)),
        },
      ];
    }),
  );
}

/** Whether an arm gained what issue 18 asks for, clearly above its control; `null` with too few seeds or no target. */
export function reachesTarget({
  arm,
  seeds,
  gain,
  overControl,
  error,
}: SignalGain): boolean | null {
  if (arm.target === null || seeds < LEAST_SEEDS) return null;
  return gain >= arm.target && overControl >= SURE * error;
}
