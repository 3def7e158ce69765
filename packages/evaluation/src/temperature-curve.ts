/**
 * Success by sampling temperature. A recipe that only sharpens the policy beats its base at temperature 1
 * without teaching it anything, so both are compared at their best temperature.
 */
import { shareSolved } from "./success-rate.ts";

/** `[tasks]` successes by temperature, 0 = greedy; the tasks are the same at every temperature. */
export type SuccessByTemperature = ReadonlyMap<number, readonly boolean[]>;

/** Share of solved tasks by temperature, averaged over seeds. */
export type TemperatureCurve = {
  /** `[seeds]` share solved at the temperature with the best average over the seeds. */
  readonly best: readonly number[];
  readonly bestTemperature: number;
  /** `[seeds]` share solved greedily. */
  readonly greedy: readonly number[];
};

/**
 * @param bySeed - successes of each seed, at the same temperatures.
 * @returns `null` if there are no seeds or no temperature that all of them have.
 */
export function temperatureCurve(bySeed: readonly SuccessByTemperature[]): TemperatureCurve | null {
  const [first] = bySeed;
  if (first === undefined) return null;
  const shared = [...first.keys()].filter((each) => bySeed.every((seed) => seed.has(each)));
  const shares = new Map(
    shared.map((temperature) => [
      temperature,
      bySeed.map((seed) => shareSolved(seed.get(temperature) ?? [])),
    ]),
  );
  const ranked = [...shares].toSorted(([, a], [, b]) => total(b) - total(a));
  const [top] = ranked;
  const greedy = shares.get(0);
  if (top === undefined || greedy === undefined) return null;
  return { best: top[1], bestTemperature: top[0], greedy };
}

function total(values: readonly number[]): number {
  return values.reduce((sum, one) => sum + one, 0);
}
