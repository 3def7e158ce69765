/**
 * Expectations of imitation recipes with notes, situation awareness, corrected answers, rehearsal,
 * fast weights or test-time training.
 */
import { type JudgedTrajectory, recipeNamed, type RewardedGroup } from "@waggle/learning";
import { expect } from "vitest";
import {
  at,
  type Check,
  trajectoriesOf,
  type Expectation,
  keeps,
  learnsInTurn,
  learnsTurns,
  numbersOf,
  rewardedOf,
} from "./recipe-checks.fixture.ts";
import { type StageRecord } from "./recipe-update.fixture.ts";
import { IMAGINED_RESULT } from "./imagined-environment.fixture.ts";

/** Every turn has its own context, and earlier results appear in it only through the request. */
function ownContexts(stage: number): Check {
  return (records) => {
    const { groups } = at(records, stage);
    expect(groups.some(({ trajectories }) => trajectories.length > 1)).toBe(true);
    for (const { turns, record: trajectory } of trajectoriesOf(at(records, stage))) {
      expect(turns.length).toBeLessThanOrEqual(1);
      const sampled = trajectory.segments.findIndex(({ kind }) => kind === "sampled");
      const before = trajectory.segments.slice(0, sampled);
      expect(before.some((each) => each.kind === "given" && each.role === "tool")).toBe(false);
    }
  };
}

/**
 * The loss differs from that of the initial parameters; it is lower if the inner steps learn the
 * same thing.
 */
function learnsElsewhere(stage: number, isLower: boolean): Check {
  return (records) => {
    const { result, proximalLogProbs } = numbersOf(at(records, stage));
    const start = (result.derivatives.logProb ?? []).reduce(
      (sum, row, b) =>
        sum + row.reduce((all, weight, t) => all + weight * (proximalLogProbs[b]?.[t] ?? 0), 0),
      0,
    );
    expect(Math.abs(result.loss - start)).toBeGreaterThan(1e-3);
    expect(result.loss < start).toBe(isLower);
  };
}

/** Demonstrations are of other training tasks than the one that is asked about. */
function atNeighbors(stage: number): Check {
  return (records) => {
    for (const { task, trajectories } of at(records, stage).groups) {
      const shown = trajectories.filter(({ role }) => role !== "student");
      expect(shown.length).toBeGreaterThan(1);
      for (const { record: trajectory } of shown) {
        const { environment, split, seed } = trajectory.task ?? { seed: -1 };
        expect(split).toBe("train");
        expect(`${environment}/${split}/${seed}`).not.toBe(task);
      }
    }
  };
}

function isAtTestTime(stage: number, each: "task" | "level"): Check {
  return (records) => {
    const parts = at(records, stage).stage.schedule.map(({ testTime }) => testTime);
    expect(parts).toEqual([each]);
  };
}

/** A group as filters see it, without rewards. */
function unrewarded({ groups }: StageRecord): RewardedGroup[] {
  return groups.map(({ task, trajectories }) => ({
    task,
    trajectories: trajectories.map((trajectory) => ({
      trajectory,
      reward: { total: 0 },
      lossMask: [],
      tokenWeights: [],
    })),
  }));
}

const CONTEXT = {
  step: 0,
  steps: 1,
  state: {},
  ports: {},
  random: () => 0.5,
  signal: new AbortController().signal,
};

/** What two rollouts of the policy imply about the task. */
function situationOf(trajectories: readonly JudgedTrajectory[]): string {
  const [first, second] = trajectories.filter(({ role }) => role === "student");
  if (first?.verification.success === true) return "go-on";
  return second?.verification.success === true ? "rethink" : "ask";
}

type Rehearsed = {
  readonly items: readonly {
    readonly step: number;
    readonly item: {
      readonly rewarded: { readonly trajectory: JudgedTrajectory };
      readonly wasRight: boolean;
      readonly isRight: boolean | null;
    };
  }[];
};

export const ADAPTING_EXPECTATIONS: { readonly [recipe: string]: Expectation } = {
  "agent-fold": { differs: [ownContexts(0)] },
  "browser-agent": {
    differs: [
      learnsInTurn("tokens", "tokens"),
      ownContexts(0),
      ownContexts(1),
      keeps(1, ({ verification }) => verification.success),
    ],
  },
  "focu-sft": {
    settings: { innerRate: 0.01 },
    differs: [
      learnsElsewhere(0, false),
      (records) => {
        const [{ loss }] = at(records, 0).stage.losses as [
          (typeof records)[0]["stage"]["losses"][0],
        ];
        expect(loss.inner?.trains?.(["a.self_attn.q", "a.mlp.up"], CONTEXT)).toEqual(
          new Set(["a.self_attn.q"]),
        );
      },
    ],
  },
  "adapt-agent": {
    settings: { shown: 1, metaShown: 2 },
    differs: [
      atNeighbors(0),
      learnsElsewhere(0, true),
      (records) => {
        // The outer loss excludes the data of the fast weights.
        const { result } = numbersOf(at(records, 0));
        for (const [b, row] of (result.derivatives.logProb ?? []).entries()) {
          expect(row.some((value) => value !== 0)).toBe(b % 2 === 1);
        }
      },
      isAtTestTime(1, "level"),
      atNeighbors(1),
      (records) => {
        expect(rewardedOf(at(records, 1))).toHaveLength(1);
      },
    ],
  },
  "tt-si": {
    differs: [
      isAtTestTime(0, "task"),
      atNeighbors(0),
      (records) => {
        // A task on which the policy is certain is not learned.
        const record = at(records, 0);
        const groups = unrewarded(record);
        const keptBelow = (below: number): number =>
          recipeNamed("tt-si")({ below }).stages[0]?.filters[0]?.apply(groups, CONTEXT).groups
            .length ?? Number.NaN;
        expect(keptBelow(0.9)).toBe(groups.length);
        expect(keptBelow(1e-6)).toBe(0);
        expect(rewardedOf(record).some(({ trajectory }) => trajectory.role === "student")).toBe(
          false,
        );
      },
    ],
  },
  "know-self": {
    seed: 2,
    differs: [
      learnsInTurn("tokens", "pairs"),
      (records) => {
        const record = at(records, 0);
        const seen = new Set<string>();
        for (const group of record.groups) {
          const kept = numbersOf(record).groups.find(({ task }) => task === group.task);
          const [only, ...more] = kept?.trajectories ?? [];
          expect(more).toEqual([]);
          expect(only?.trajectory.role).toBe(situationOf(group.trajectories));
          seen.add(situationOf(group.trajectories));
        }
        expect(seen.size).toBeGreaterThan(1);
      },
      (records) => {
        const record = at(records, 1);
        const { minibatch, result } = numbersOf(record);
        const pull = (row: number): number =>
          Array.from(result.derivatives.logProb?.[row] ?? []).reduce((sum, v) => sum + v, 0);
        expect(minibatch.pairs.length).toBeGreaterThan(0);
        for (const [chosen, rejected] of minibatch.pairs) {
          const [a, b] = [minibatch.trajectories[chosen], minibatch.trajectories[rejected]];
          const group = record.groups.find(({ trajectories }) =>
            trajectories.some(({ id }) => id === a?.trajectory.id),
          );
          expect(a?.trajectory.role).toBe(situationOf(group?.trajectories ?? []));
          expect(b?.trajectory.role).not.toBe(a?.trajectory.role);
          expect(pull(chosen)).toBeLessThan(0);
          expect(pull(rejected)).toBeGreaterThan(0);
        }
      },
    ],
  },
  "mix-cd": {
    updates: 3,
    // The policy of these tests is nearly uniform over 448 tokens.
    settings: { rightFrom: 1 / 440, rehearsed: 4 },
    differs: [
      (records) => {
        const record = at(records, 1);
        const fresh = new Set(trajectoriesOf(record).map(({ id }) => id));
        expect(
          rewardedOf(record).filter(({ trajectory }) => !fresh.has(trajectory.id)),
        ).toHaveLength(4);
        const { items } = record.state["rest-buffer"] as Rehearsed;
        expect(items.some(({ item }) => item.wasRight && item.isRight === true)).toBe(true);
      },
      (records) => {
        // Kinds of items that were right and became wrong are rehearsed more often.
        const record = at(records, 1);
        const filter = record.stage.filters[0];
        const { items, ...buffer } = record.state["rest-buffer"] as Rehearsed;
        const isLong = ({ turns }: JudgedTrajectory): boolean => turns.length > 2;
        const damaged = items.map((entry) => {
          const turned = isLong(entry.item.rewarded.trajectory);
          return { ...entry, item: { ...entry.item, wasRight: true, isRight: !turned } };
        });
        let [long, short] = [0, 0];
        for (let i = 0; i < 300; i += 1) {
          const kept = filter?.apply([], {
            ...CONTEXT,
            random: () => (i * 0.6180339887) % 1,
            state: { "rest-buffer": { ...buffer, items: damaged } },
          });
          const [first] = kept?.groups ?? [];
          const drawn = first?.trajectories[0]?.trajectory;
          if (drawn !== undefined && isLong(drawn)) long += 1;
          else short += 1;
        }
        const share = damaged.filter(({ item }) => isLong(item.rewarded.trajectory)).length;
        const rate = [long / share, short / (damaged.length - share)];
        expect(rate[0]).toBeGreaterThan(2 * (rate[1] ?? Number.NaN));
      },
    ],
  },
  "rise-introspection": {
    settings: { attempts: 5 },
    differs: [
      (records) => {
        const record = at(records, 0);
        const answers = trajectoriesOf(record).map(({ turns }) =>
          turns.filter(({ toolCalls }) => toolCalls.length === 0),
        );
        expect(answers.some((each) => each.length > 1)).toBe(true);
        // Turns after a wrong answer have their own reward, and a teacher finishes rollouts that
        // were never right.
        const taught = trajectoriesOf(record).filter(({ record: trajectory }) =>
          trajectory.segments.some(
            (each) => each.kind === "sampled" && each.entropies.every((entropy) => entropy === 0),
          ),
        );
        expect(taught.length).toBeGreaterThan(0);
        for (const { turns } of taught) {
          const own = turns.filter(({ toolCalls }) => toolCalls.length === 0).slice(0, 2);
          expect(own.map(({ reward }) => reward)).toEqual([0, 0]);
          expect(turns.at(-1)?.reward).toBe(1);
        }
      },
      (records) => {
        // No token is pushed down, and right answers have larger weights.
        const { minibatch } = numbersOf(at(records, 0));
        const weights = { right: new Set<number>(), wrong: new Set<number>() };
        for (const [b, { trajectory }] of minibatch.trajectories.entries()) {
          for (const { start, reward } of trajectory.turns) {
            weights[reward === 1 ? "right" : "wrong"].add(minibatch.advantages[b]?.[start] ?? 0);
          }
        }
        expect([weights.right.size, weights.wrong.size]).toEqual([1, 1]);
        const [[right = 0], [wrong = 0]] = [[...weights.right], [...weights.wrong]];
        expect(wrong).toBeGreaterThan(0);
        expect(right).toBeGreaterThan(2 * wrong);
      },
    ],
  },
  "kat-coder": {
    settings: { kept: 6 },
    differs: [
      learnsInTurn("tokens", "tokens", "rewards", "tokens"),
      (records) => {
        // The reward depends on the best of several references, and the references are not learned.
        const record = at(records, 2);
        const { groups } = numbersOf(record);
        expect(rewardedOf(record).some(({ trajectory }) => trajectory.role === "reference")).toBe(
          false,
        );
        const rewards = groups.flatMap(({ trajectories }) =>
          trajectories.map(({ reward }) => reward.total),
        );
        expect(rewards.some((reward) => reward > 0 && reward < 1)).toBe(true);
        for (const { trajectories } of record.groups) {
          expect(trajectories.filter(({ role }) => role === "reference")).toHaveLength(3);
        }
      },
      (records) => {
        // Recorded rollouts without failed calls, packed as trees.
        const { stage, strategy } = at(records, 3);
        expect(strategy.name).toBe("log");
        expect(stage.losses.every(({ loss }) => loss.packs === true)).toBe(true);
        expect(at(records, 2).stage.losses.every(({ loss }) => loss.packs === true)).toBe(true);
      },
      learnsTurns(3, ({ turns }, turn) => turns[turn]?.toolResults.every(({ ok }) => ok) === true),
    ],
  },
  "web-evolver": {
    differs: [
      learnsInTurn("tokens", "tokens", "tokens"),
      keeps(0, ({ verification }) => verification.success),
      (records) => {
        // The model states the results of calls, including failures, and calls nothing.
        const shown = trajectoriesOf(at(records, 1));
        expect(shown.every(({ turns }) => turns.every((turn) => turn.toolCalls.length === 0))).toBe(
          true,
        );
        expect(shown.every(({ verification }) => verification.success)).toBe(true);
      },
      (records) => {
        const results = trajectoriesOf(at(records, 2)).flatMap(({ turns }) =>
          turns.flatMap(({ toolResults }) => toolResults),
        );
        expect(results.length).toBeGreaterThan(0);
        expect(results.every((result) => result.ok && result.value === IMAGINED_RESULT)).toBe(true);
      },
    ],
  },
};
