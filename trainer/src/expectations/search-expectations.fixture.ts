/** Expectations of recipes that search a tree of turns, and the checks on what they learn from one. */
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

/** Rollouts go on from each other: the same beginning, token by token, up to where they part. */
export function searches(stage: number): Check {
  return (records) => {
    const record = at(records, stage);
    expect(record.plan.kind).toBe("tree");
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

/** What of a turn is learned: its tokens, those from it on, or the value after its last. */
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

/** Both of a pair acted in one state, and nothing before is learned: the chosen up, the rejected down. */
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

/** And what came of all rollouts that acted as the chosen one did is better on average. */
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

/** At most one rollout of each task, a success, with all its turns. */
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
        // Where a rollout was left, its turns are worth differently.
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

/** What is learned are told rollouts that ended well, each with turns of several others. */
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
    // Nobody else did all of it, and somebody did each of it.
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

/** Turns of told rollouts that are learned begin here: at the words, or at the start. */
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

/** Those of the imitation table. */
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
      keepsTrees,
      (records) => {
        const record = at(records, 0);
        expect(JSON.stringify(record.state.experience)).toMatch(/Not .*, but /);
        expect(record.stage.reward?.part).toBe("judge");
      },
    ],
  },
  "web-cot": {
    differs: [learnsRetold, learnsFrom(({ branch }) => branch?.turn ?? Number.NaN), keepsTrees],
  },
};
