/** Whether what papers say of their recipe beside plain GRPO holds here, each by a test over seeds. */
import { holm, mean, meanAboveZero, type MeanTest } from "@waggle/evaluation";
import { armKey, type RunRecord, successOf } from "./arm.ts";
import {
  type ClaimRound,
  type Direction,
  directionArms,
  type Expectations,
} from "./expectations.ts";
import { spread, type Spread } from "./recipe-summary.ts";

/** Largest corrected p of a claim that holds. */
export const LEVEL = 0.05;

export type DirectionSummary = {
  readonly direction: Direction;
  readonly success: Spread;
  readonly reference: Spread;
  /** Mean over seeds. */
  readonly difference: number;
  /** Of the differences, the margin added. */
  readonly test: MeanTest;
  /** Holm's p over the claims of the round; those not run count as not holding. */
  readonly adjusted: number;
  /** Share of the reference's cost; `null` where nothing is claimed of it. */
  readonly cost: number | null;
  readonly holds: boolean;
};

/** @returns of one round those that were run with every seed, in the order of the expectations. */
export function summarizeDirections(
  records: ReadonlyMap<string, RunRecord>,
  expectations: Expectations,
  { directions, seeds }: ClaimRound,
): DirectionSummary[] {
  const complete = directions.flatMap((direction) => {
    const pairs = seeds.flatMap((seed) => {
      const arms = directionArms(expectations, direction, seed);
      const claimed = records.get(armKey(arms.claimed));
      const reference = records.get(armKey(arms.reference));
      return claimed === undefined || reference === undefined ? [] : [{ claimed, reference }];
    });
    return pairs.length < seeds.length ? [] : [{ direction, pairs }];
  });
  const tests = complete.map(({ direction, pairs }) =>
    meanAboveZero(pairs.map((pair) => differenceOf(pair) + direction.margin)),
  );
  const absent = Array.from({ length: directions.length - complete.length }, () => 1);
  const adjusted = holm([...tests.map(({ pValue }) => pValue), ...absent]);
  return complete.map(({ direction, pairs }, i) => {
    const { most } = direction;
    const p = adjusted[i] ?? 1;
    const cost =
      most === undefined
        ? null
        : mean(pairs.map(({ claimed }) => claimed.spent[most.of] ?? Infinity)) /
          mean(pairs.map(({ reference }) => reference.spent[most.of] ?? 0));
    return {
      direction,
      success: spread(pairs.map(({ claimed }) => successOf(claimed.final))),
      reference: spread(pairs.map(({ reference }) => successOf(reference.final))),
      difference: mean(pairs.map(differenceOf)),
      test: tests[i] as MeanTest,
      adjusted: p,
      cost,
      holds: p <= LEVEL && (most === undefined || (cost !== null && cost <= most.share)),
    };
  });
}

function differenceOf({
  claimed,
  reference,
}: {
  readonly claimed: RunRecord;
  readonly reference: RunRecord;
}): number {
  return successOf(claimed.final) - successOf(reference.final);
}
