/**
 * `td`: targets of Q over one step, or over a chunk of h steps that were decided together.
 *
 * Source: Watkins 1989 (Q-learning); CO-RFT (chunked TD), Digi-Q (TD on frozen features).
 */
import { type JudgedTurn, wasCutOff } from "../composition/judged-trajectory.ts";
import { definePart, option } from "../composition/part-options.ts";
import type { AdvantagePart, Minibatch, RewardedTrajectory } from "../composition/part.ts";
import { requireFiniteRewards, requireInside } from "../statistics.ts";
import type { TokenRows } from "../token-rows.ts";
import { advantagePart, overTurns, turnRewards } from "./credit.ts";

/** Options of `chunkTargets`. */
export type ChunkTargetOptions = {
  /** γ in [0, 1], per step. */
  readonly discount: number;
  /** Steps per chunk, ≥ 1. */
  readonly chunk: number;
  /** True if the task ended by itself; a truncated trajectory bootstraps from its last value. */
  readonly terminated: boolean;
};

/**
 * `[steps]` target of each step: Σ_{i<h} γ^i r_{t+i} + γ^h · nextValues[t+h]; the sum stops at the end of the
 * trajectory.
 *
 * @param rewards - `[steps]`
 * @param stateValues - `[steps + 1]` value of the state before each step and after the last: max_a Q or the
 *   policy's mean. The last is only used for a truncated trajectory.
 */
export function chunkTargets(
  rewards: readonly number[],
  stateValues: readonly number[],
  { discount, chunk, terminated }: ChunkTargetOptions,
): number[] {
  requireFiniteRewards(rewards);
  requireInside("stateValues.length", stateValues.length, rewards.length + 1, rewards.length + 1);
  requireInside("chunk", chunk, 1, Number.MAX_SAFE_INTEGER);
  return rewards.map((_, t) => {
    const end = Math.min(t + chunk, rewards.length);
    let target = 0;
    for (let i = end - 1; i >= t; i -= 1) target = rewards[i]! + discount * target;
    const bootstraps = end < rewards.length || !terminated;
    return target + (bootstraps ? discount ** (end - t) * stateValues[end]! : 0);
  });
}

/** The role of an action that the policy would take in a stored state but that was not taken. */
export const PROPOSAL = "proposal";

const NEXT_ACTIONS = ["logged", "best"] as const;

type TemporalDifferenceOptions = {
  /** γ in [0, 1], per turn. Default 1. */
  readonly discount?: number;
  /**
   * Turns per chunk, ≥ 1: their rewards are observed, and the critic's value stands for the rest. Default 1.
   */
  readonly chunk?: number;
  /**
   * The next action: the stored one, or the best one that the group's trajectories took in its state. Default
   * `logged`.
   */
  readonly next?: (typeof NEXT_ACTIONS)[number];
};

/** `td`: the critic's target is r + γ·Q(s′, a′) of each turn; the advantage is the target minus V(s). */
export function temporalDifference({
  discount,
  chunk,
  next,
}: TemporalDifferenceOptions = {}): AdvantagePart<"critic", "single"> {
  const options = {
    discount: option(discount, 1),
    chunk: option(chunk, 1),
    nextAction: option(next, "logged", NEXT_ACTIONS),
  };
  return definePart(options, (given) =>
    differenceOf({ discount: given.discount, chunk: given.chunk, next: given.nextAction }),
  );
}

function differenceOf({
  discount,
  chunk,
  next,
}: Required<TemporalDifferenceOptions>): AdvantagePart<"critic", "single"> {
  return advantagePart(
    "td",
    "single",
    (groups, { values, finalValues }) => {
      const advantages = new Map<string, TokenRows>();
      const returns = new Map<string, TokenRows>();
      for (const { trajectories } of groups) {
        const acted = trajectories.filter(({ trajectory }) => trajectory.role !== PROPOSAL);
        const valueAt = (
          { trajectory }: RewardedTrajectory,
          turn: JudgedTurn,
          token: number,
        ): number => values?.get(trajectory.id)?.[turn.sample]?.[token] ?? 0;
        const taken = new Map(
          acted.map((rewarded) => [
            rewarded,
            rewarded.trajectory.turns.map((turn) => valueAt(rewarded, turn, turn.end - 1)),
          ]),
        );
        const best = new Map<string, number>();
        for (const [{ trajectory }, ofTurns] of taken) {
          for (const [i, { state }] of trajectory.turns.entries()) {
            const value = ofTurns[i] as number;
            best.set(state, Math.max(value, best.get(state) ?? value));
          }
        }
        for (const [rewarded, ofTurns] of taken) {
          const { id, turns } = rewarded.trajectory;
          const ahead =
            next === "best" ? turns.map(({ state }) => best.get(state) as number) : ofTurns;
          const last = finalValues?.get(id)?.at(-1) ?? 0;
          const terminated = !wasCutOff(rewarded.trajectory);
          const targets = chunkTargets(turnRewards(rewarded), [...ahead, last], {
            discount,
            chunk,
            terminated,
          });
          const states = turns.map((turn) => valueAt(rewarded, turn, turn.start));
          advantages.set(
            id,
            overTurns(
              rewarded,
              targets.map((target, i) => target - (states[i] as number)),
            ),
          );
          returns.set(id, overTurns(rewarded, targets));
        }
      }
      return { advantages, returns };
    },
    { needs: ["critic"] },
  );
}

/** The proposals for a turn of a trajectory, with their rows. */
export function proposalsOf(
  { trajectories }: Minibatch,
  id: string,
  turn: number,
): { readonly rewarded: RewardedTrajectory; readonly row: number }[] {
  return trajectories.flatMap((rewarded, row) => {
    const { role, branch } = rewarded.trajectory;
    return role === PROPOSAL && branch?.trajectory === id && branch.turn === turn
      ? [{ rewarded, row }]
      : [];
  });
}

/** Index of the last token of the last turn in a sample. */
export function lastTokenOf({ trajectory }: RewardedTrajectory, sample: number): number {
  return (trajectory.turns.findLast((turn) => turn.sample === sample)?.end ?? 1) - 1;
}
