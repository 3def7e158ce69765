/**
 * Tests over seeds whether a paper's claim about its recipe compared with plain GRPO holds here.
 */
import {
  holm,
  mean,
  meanAboveZero,
  type MeanTest,
  shareSolved,
  spread,
  type Spread,
  temperatureCurve,
} from "@waggle/evaluation";
import { armKey, type RunRecord, successOf } from "./arm.ts";
import type { ControlLog } from "./control-log.ts";
import {
  type ClaimRound,
  type Direction,
  directionArms,
  type Expectations,
} from "./expectations.ts";

/** Significance level of a claim, after correction. */
export const LEVEL = 0.05;

/** The test of one claim. */
export type DirectionSummary = {
  readonly direction: Direction;
  readonly success: Spread;
  readonly reference: Spread;
  /** Mean over seeds. */
  readonly difference: number;
  /** Test of the differences plus the margin. */
  readonly test: MeanTest;
  /** Holm-corrected over the claims of the round; claims that were not run count as not holding. */
  readonly adjusted: number;
  /** Cost as a share of the reference's; `null` if nothing is claimed about cost. */
  readonly cost: number | null;
  readonly holds: boolean;
  /** The environment's base at its best temperature, over seeds; `null` if it was not measured. */
  readonly control: Spread | null;
  /**
   * The claim holds, and the recipe's success is above the control (one-sided Student's t over
   * seeds).
   */
  readonly survives: boolean;
  /** Means over seeds under other ways to sample, for the recipe, plain GRPO and the base. */
  readonly otherwise: readonly OtherSampling[];
};

/** A way to sample, and the mean success with it. `null` = not measured. */
type OtherSampling = {
  readonly name: string;
  readonly recipe: number | null;
  readonly reference: number | null;
  readonly base: number | null;
};

/**
 * @returns the claims of a round that were run with every seed, in the order of the expectations
 */
export function summarizeDirections(
  records: ReadonlyMap<string, RunRecord>,
  expectations: Expectations,
  { directions, seeds }: ClaimRound,
  controls: ControlLog,
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
    const holds = p <= LEVEL && (most === undefined || (cost !== null && cost <= most.share));
    const control = controlOf(direction.environment, controls);
    const over =
      control === null
        ? null
        : meanAboveZero(pairs.map(({ claimed }) => successOf(claimed.final) - mean(control)));
    return {
      direction,
      control: control === null ? null : spread(control),
      otherwise: otherSamplings(pairs, controls),
      survives: holds && over !== null && over.pValue <= LEVEL,
      success: spread(pairs.map(({ claimed }) => successOf(claimed.final))),
      reference: spread(pairs.map(({ reference }) => successOf(reference.final))),
      difference: mean(pairs.map(differenceOf)),
      test: tests[i] as MeanTest,
      adjusted: p,
      cost,
      holds,
    };
  });
}

/** Success at temperature 0.5 and greedily, and pass@8. */
function otherSamplings(pairs: readonly Pair[], controls: ControlLog): OtherSampling[] {
  const bases = pairs.flatMap(
    ({ claimed: { environment, seed, evaluationTasks } }) =>
      controls.find(environment, seed, evaluationTasks) ?? [],
  );
  const sides = [pairs.map(({ claimed }) => claimed), pairs.map(({ reference }) => reference)];
  const at = (temperature: number) => {
    const found = [
      ...sides.map((runs) => runs.map((run) => run.byTemperature?.get(temperature))),
      bases.map(({ successes }) => successes.get(temperature)),
    ];
    return found.map((each) =>
      completeMean(
        each.map((one) => one && shareSolved(one)),
        pairs.length,
      ),
    );
  };
  const passed = [
    ...sides.map((runs) => runs.map(({ passAt8 }) => passAt8)),
    bases.map(({ passAt8 }) => passAt8),
  ].map((each) => completeMean(each, pairs.length));
  return [
    { name: "T = 0.5", means: at(0.5) },
    { name: "greedy", means: at(0) },
    { name: "pass@8", means: passed },
  ].map(({ name, means: [recipe = null, reference = null, base = null] }) => ({
    name,
    recipe,
    reference,
    base,
  }));
}

/** The mean, or `null` unless there is a value for each of `count` seeds. */
function completeMean(values: readonly (number | undefined)[], count: number): number | null {
  const measured = values.filter((value) => value !== undefined);
  return measured.length < count ? null : mean(measured);
}

type Pair = { readonly claimed: RunRecord; readonly reference: RunRecord };

/**
 * `[seeds]` success of an environment's base at its best temperature, on the seeds it was measured
 * with.
 */
function controlOf(environment: string, controls: ControlLog): readonly number[] | null {
  const found = controls.all.filter((one) => one.environment === environment);
  return temperatureCurve(found.map(({ successes }) => successes))?.best ?? null;
}

function differenceOf({ claimed, reference }: Pair): number {
  return successOf(claimed.final) - successOf(reference.final);
}
