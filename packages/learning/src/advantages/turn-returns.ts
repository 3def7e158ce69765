/**
 * `turn`: each turn is credited with the discounted rewards from it to the end, on one scale per group. Not
 * step-level credit by state: turns are compared regardless of their observations.
 *
 * Source: DR-Venus and MARS (multi-turn credit by turn rewards); the return is textbook.
 */
import {
  type DeviationConvention,
  deviationOf,
  meanOf,
  requireFiniteRewards,
  requireGroup,
} from "../statistics.ts";
import { definePart, option } from "../composition/part-options.ts";
import { advantagePart, byTurns, type GroupPart, turnRewards } from "./credit.ts";

/** `[turns]` discounted sums of rewards from each turn to the last. */
export function discountedReturns(rewards: readonly number[], discount: number): number[] {
  const returns = [...rewards];
  for (let t = returns.length - 2; t >= 0; t -= 1) {
    returns[t] = returns[t]! + discount * returns[t + 1]!;
  }
  return returns;
}

/** Discount and scale of turn advantages. */
export type TurnAdvantageOptions = {
  /** Per turn, in [0, 1]. Default 1. */
  readonly discount?: number;
  /**
   * `turn`: compares with the same turn of the other trajectories. `group`: with all turns. Default `group`.
   */
  readonly normalizeOver?: "turn" | "group";
  readonly scale?: "none" | "std";
  /** Default `population`. */
  readonly convention?: DeviationConvention;
  /** Default 1e-6. */
  readonly epsilon?: number;
};

/**
 * Turn advantages of one group.
 *
 * @param turnRewards - `[G][turns]` of one group; numbers of turns may differ.
 * @returns `[G][turns]` advantages. With `turn`, a turn that only one trajectory reached gets 0.
 * @throws WaggleError `GROUP_TOO_SMALL`, `NON_FINITE_REWARD`.
 */
export function turnAdvantages(
  turnRewards: readonly (readonly number[])[],
  options: TurnAdvantageOptions = {},
): number[][] {
  const { discount = 1, normalizeOver = "group", scale = "std" } = options;
  const { convention = "population", epsilon = 1e-6 } = options;
  requireGroup(turnRewards.map(() => 0));
  for (const rewards of turnRewards) requireFiniteRewards(rewards);
  const returns = turnRewards.map((rewards) => discountedReturns(rewards, discount));
  const all = returns.flat();
  return returns.map((row) =>
    row.map((value, t) => {
      const peers =
        normalizeOver === "group"
          ? all
          : returns.flatMap((other) => (t < other.length ? [other[t] as number] : []));
      const centered = value - meanOf(peers);
      return scale === "none" ? centered : centered / (deviationOf(peers, convention) + epsilon);
    }),
  );
}

/** `turn`: discounted turn rewards, normalized over the turns of the group. */
export function turnLevel(options: TurnAdvantageOptions = {}): GroupPart {
  const { discount, normalizeOver, scale, convention, epsilon } = options;
  return definePart(
    {
      turnDiscount: option(discount, 1),
      turnsOver: option<"turn" | "group">(normalizeOver, "group", ["turn", "group"]),
      turnScale: option<"std" | "none">(scale, "std", ["std", "none"]),
    },
    (given) => {
      const chosen: TurnAdvantageOptions = {
        discount: given.turnDiscount,
        normalizeOver: given.turnsOver,
        scale: given.turnScale,
        ...(convention === undefined ? {} : { convention }),
        ...(epsilon === undefined ? {} : { epsilon }),
      };
      return advantagePart("turn", "group", (groups) =>
        byTurns(groups, (trajectories) => turnAdvantages(trajectories.map(turnRewards), chosen)),
      );
    },
  );
}
