/** Expectations of recipes that search a tree of turns, and checks of what they learn from it. */
import type { JudgedTrajectory, JudgedTurn } from "@waggle/learning";
import { expect } from "vitest";
import {
  at,
  type Check,
  type Expectation,
  trajectoriesOf,
  learnsInTurn,
  numbersOf,
  rewardedOf,
  turnAdvantages,
} from "./recipe-checks.fixture.ts";
import type { StageRecord } from "./recipe-update.fixture.ts";

function saidAt({ samples }: JudgedTrajectory, { sample, start, end }: JudgedTurn): string {
  return samples[sample]?.sequence.tokenIds.slice(start, end).join(" ") ?? "";
}

/** Rollouts continue each other: they have the same tokens up to the fork. */
export function searches(stage: number): Check {
  return (records) => {
    const record = at(records, stage);
    expect(record.strategy.name).toBe("tree");
    const places = new Set<number>();
    for (const { trajectories } of record.groups) {
      for (const trajectory of trajectories) {
        const root = trajectories.find(({ id }) => id === trajectory.branch?.trajectory);
        if (root === undefined || trajectory.branch === null) continue;
        for (const [i, turn] of trajectory.turns.slice(0, trajectory.branch.turn).entries()) {
          expect(saidAt(trajectory, turn)).toBe(saidAt(root, root.turns[i] as JudgedTurn));
        }
        places.add(trajectory.branch.turn);
      }
    }
    expect(places.size).toBeGreaterThan(0);
  };
}

/**
 * The learned part of a turn: its tokens, all tokens from its start, or the value after its last
 * token.
 */
type Unit = "turn" | "rest" | "value";

type ForkSide = {
  readonly trajectory: JudgedTrajectory;
  readonly turn: JudgedTurn;
  readonly pull: number;
};

function sideAt(record: StageRecord, row: number, unit: Unit): ForkSide {
  const { result, minibatch } = numbersOf(record);
  const trajectory = minibatch.trajectories[row]?.trajectory;
  const rows = unit === "value" ? result.derivatives.values : result.derivatives.logProb;
  const slopes = rows?.[row] ?? new Float64Array();
  const first = slopes.findIndex((slope) => slope !== 0);
  const last = slopes.findLastIndex((slope) => slope !== 0);
  const turn = trajectory?.turns.find(({ start, end }) => first >= start && first < end);
  if (trajectory === undefined || turn === undefined) throw new Error("learned outside of turns");
  const end = unit === "rest" ? (trajectory.turns.at(-1)?.end ?? 0) : turn.end;
  expect([first, last]).toEqual([unit === "value" ? end - 1 : turn.start, end - 1]);
  return { trajectory, turn, pull: slopes.reduce((sum, slope) => sum + slope, 0) };
}

/**
 * Both sides of a pair acted in the same state, and earlier turns are not learned: the chosen side
 * is raised, the rejected lowered.
 */
export function pairsAtForks(
  stage: number,
  unit: Unit,
  more: (chosen: ForkSide, rejected: ForkSide, record: StageRecord) => void = () => {},
): Check {
  return (records) => {
    const record = at(records, stage);
    const { pairs } = numbersOf(record).minibatch;
    expect(pairs.length).toBeGreaterThan(0);
    for (const pair of pairs) {
      const [chosen, rejected] = [sideAt(record, pair[0], unit), sideAt(record, pair[1], unit)];
      expect(chosen.turn.state).toBe(rejected.turn.state);
      expect(chosen.pull).toBeLessThan(0);
      expect(rejected.pull).toBeGreaterThan(0);
      more(chosen, rejected, record);
    }
  };
}

/** In addition, rollouts that acted like the chosen side have better outcomes on average. */
export function prefersAtForks(stage: number, unit: Unit): Check {
  return pairsAtForks(stage, unit, (chosen, rejected, { groups }) => {
    const worth = ({ trajectory, turn }: ForkSide): number => {
      const group = groups.find(({ trajectories }) =>
        trajectories.some(({ id }) => id === trajectory.id),
      );
      const alike = (group?.trajectories ?? []).filter((other) =>
        other.turns.some(
          (one) => one.state === turn.state && saidAt(other, one) === saidAt(trajectory, turn),
        ),
      );
      return alike.reduce((sum, other) => sum + other.verification.reward, 0) / alike.length;
    };
    expect(worth(chosen)).toBeGreaterThan(worth(rejected));
  });
}

/** At most one rollout per task, a success, with all its turns. */
const imitatesBestLines: Check = (records) => {
  const record = at(records, 0);
  const kept = rewardedOf(record);
  expect(kept.length).toBeLessThanOrEqual(record.groups.length);
  expect(kept.length).toBeLessThan(trajectoriesOf(record).length);
  for (const { trajectory, lossMask } of kept) {
    expect(trajectory.verification.success).toBe(true);
    const learned = trajectory.turns.map(({ sample, start }) => lossMask[sample]?.[start]);
    expect(learned.every(Boolean)).toBe(true);
  }
};

export const SEARCH_EXPECTATIONS: { readonly [recipe: string]: Expectation } = {
  "pro-act": {
    differs: [
      learnsInTurn("tokens", "rewards"),
      searches(0),
      imitatesBestLines,
      (records) => {
        expect(Object.keys(at(records, 0).state["tree-store"] ?? {}).length).toBeGreaterThan(0);
      },
      (records) => {
        // The turns before and after a fork have different advantages.
        const record = at(records, 1);
        const left = trajectoriesOf(record).filter(({ id }) =>
          trajectoriesOf(record).some(({ branch }) => branch?.trajectory === id),
        );
        expect(left.length).toBeGreaterThan(0);
        expect(
          left.some((trajectory) => {
            const ofTurns = turnAdvantages(record, trajectory).filter(Number.isFinite);
            return new Set(ofTurns.map((value) => value.toFixed(9))).size > 1;
          }),
        ).toBe(true);
      },
    ],
  },
};

/** The learned trajectories are joined from several rollouts and end in success. */
const learnsRetold: Check = (records) => {
  const record = at(records, 0);
  const kept = rewardedOf(record).map(({ trajectory }) => trajectory);
  expect(kept.length).toBeGreaterThan(0);
  for (const trajectory of kept) {
    expect(trajectory.role).toBe("retold");
    expect(trajectory.verification.success).toBe(true);
    const others = record.groups
      .find(({ trajectories }) => trajectories.some(({ id }) => id === trajectory.id))
      ?.trajectories.filter(({ id }) => id !== trajectory.id);
    const doneAt = ({ toolCalls }: JudgedTurn): string =>
      JSON.stringify(toolCalls.map((call) => [call.name, call.arguments]));
    const calls = new Set(trajectory.turns.map(doneAt));
    // No single rollout did all of it, but each call occurs in some rollout.
    for (const turn of trajectory.turns.filter(({ toolCalls }) => toolCalls.length > 0)) {
      const doers = others?.filter((other) =>
        other.turns.some((one) => doneAt(one) === doneAt(turn)),
      );
      expect(doers?.length).toBeGreaterThan(0);
    }
    expect(
      others?.some(({ turns }) => turns.length === trajectory.turns.length && calls.size === 1),
    ).toBe(false);
  }
};

/** The learned turns of joined trajectories start here: at the added text, or at the start. */
function learnsFrom(first: (trajectory: JudgedTrajectory) => number): Check {
  return (records) => {
    const { result, minibatch } = numbersOf(at(records, 0));
    for (const [b, { trajectory }] of minibatch.trajectories.entries()) {
      const learned = trajectory.turns.map(({ start, end }) =>
        Array.from(result.derivatives.logProb?.[b]?.subarray(start, end) ?? []).some(
          (slope) => slope !== 0,
        ),
      );
      expect(learned.indexOf(true)).toBe(first(trajectory));
      expect(trajectory.branch?.turn).toBeGreaterThan(0);
    }
  };
}

const keepsTrees: Check = (records) => {
  expect(Object.keys(at(records, 0).state["tree-store"] ?? {}).length).toBeGreaterThan(0);
};

/** Recipes of the imitation table. */
export const SEARCH_IMITATION_EXPECTATIONS: { readonly [recipe: string]: Expectation } = {
  "agent-r": {
    settings: { attempts: 16, width: 12 },
    seed: 22,
    differs: [
      searches(0),
      learnsRetold,
      learnsFrom(({ branch }) => branch?.turn ?? Number.NaN),
      keepsTrees,
    ],
  },
  "r-mcts": {
    settings: { attempts: 16, width: 12 },
    seed: 22,
    differs: [
      searches(0),
      learnsRetold,
      learnsFrom(() => 0),
      (records) => {
        const record = at(records, 0);
        expect(JSON.stringify(record.state.experience)).toMatch(/Not .*, but /);
        // A tree of an earlier step would be replayed under a prompt with other lessons.
        expect(record.state["tree-store"]).toEqual({});
        expect(record.stage.reward?.part).toBe("judge");
      },
    ],
  },
  "web-cot": {
    differs: [learnsRetold, learnsFrom(({ branch }) => branch?.turn ?? Number.NaN), keepsTrees],
  },
};
