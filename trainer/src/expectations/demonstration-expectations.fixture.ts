/**
 * Expectations of imitation recipes that generate, select or learn demonstrations in their own way.
 */
import { type JudgedTrajectory, toolErrors } from "@waggle/learning";
import { expect } from "vitest";
import {
  at,
  type Check,
  trajectoriesOf,
  type Expectation,
  keeps,
  learnsInTurn,
  numbersOf,
  rewardedOf,
} from "./recipe-checks.fixture.ts";

/** The trajectories have exactly these roles. */
function shows(stage: number, ...roles: readonly string[]): Check {
  return (records) => {
    const shown = new Set(trajectoriesOf(at(records, stage)).map(({ role }) => role));
    expect([...shown].toSorted()).toEqual(roles.toSorted());
  };
}

/** Share of the learned trajectories that match. */
function share(stage: number, isOne: (trajectory: JudgedTrajectory) => boolean, of: number): Check {
  return (records) => {
    const kept = rewardedOf(at(records, stage)).map(({ trajectory }) => trajectory);
    const own = kept.filter(isOne).length;
    expect(own).toBeGreaterThan(0);
    expect(Math.abs(own - of * kept.length)).toBeLessThanOrEqual(1);
  };
}

const calls = ({ turns }: JudgedTrajectory): number =>
  turns.reduce((sum, { toolCalls }) => sum + toolCalls.length, 0);

/** Number of user messages besides the request. */
const heard = ({ record: trajectory }: JudgedTrajectory): number =>
  trajectory.segments.filter((segment) => segment.kind === "given" && segment.role === "user")
    .length - 1;

export const DEMONSTRATION_EXPECTATIONS: { readonly [recipe: string]: Expectation } = {
  "agent-flan": {
    settings: { kept: 8 },
    differs: [
      shows(0, "policy", "toolless"),
      (records) => {
        share(0, ({ role }) => role === "toolless", 0.25)(records);
        share(
          0,
          (trajectory) => trajectory.role === "policy" && toolErrors(trajectory) > 0,
          0.25,
        )(records);
      },
    ],
  },
  "agent-align": {
    differs: [
      shows(0, "forbidden", "policy"),
      keeps(0, ({ verification }) => verification.success),
      share(0, ({ role }) => role === "forbidden", 0.5),
      (records) => {
        // If calls are forbidden, no call is learned.
        const refused = rewardedOf(at(records, 0)).filter(
          ({ trajectory }) => trajectory.role === "forbidden",
        );
        expect(refused.length).toBeGreaterThan(0);
        expect(refused.every(({ trajectory }) => calls(trajectory) === 0)).toBe(true);
      },
    ],
  },
  "agent-ps": {
    differs: [
      (records) => {
        const { result, minibatch } = numbersOf(at(records, 0));
        for (const [b, { trajectory }] of minibatch.trajectories.entries()) {
          const [which, what] = trajectory.turns;
          expect(heard(trajectory)).toBe(2);
          for (const turn of [which, what]) {
            const row = result.derivatives.logProb?.[b]?.subarray(turn?.start, turn?.end) ?? [];
            expect(turn?.toolCalls).toHaveLength(0);
            expect(row.length).toBeGreaterThan(0);
            expect(Array.from(row).every((value) => value < 0)).toBe(true);
          }
        }
      },
    ],
  },
  "agent-scaler": {
    settings: { mistakes: 0.4 },
    differs: [
      learnsInTurn("tokens", "tokens"),
      shows(0, "general"),
      (records) => {
        // More tools than the environment has.
        const tools = new Set(
          trajectoriesOf(at(records, 0)).flatMap(({ turns }) =>
            turns.flatMap(({ toolCalls }) => toolCalls.map(({ name }) => name)),
          ),
        );
        expect(tools.size).toBeGreaterThan(2);
        expect(at(records, 0).state["world-model"]).toBe("environment");
      },
      keeps(0, ({ verification }) => verification.success),
    ],
  },
  "dia-forge": {
    env: "dialogue",
    differs: [
      shows(0, "near-duplicates"),
      (records) => {
        const trajectories = trajectoriesOf(at(records, 0));
        expect(trajectories.every((trajectory) => heard(trajectory) > 0)).toBe(true);
        // It asks before it acts, and acts once.
        expect(trajectories.every((trajectory) => calls(trajectory) === 1)).toBe(true);
        expect(trajectories.every(({ verification }) => verification.success)).toBe(true);
      },
    ],
  },
  synatra: {
    differs: [
      shows(0, "tutorial"),
      (records) => {
        const trajectories = trajectoriesOf(at(records, 0));
        expect(
          trajectories.every(({ verification }) => verification.parts["imagined"] === true),
        ).toBe(true);
        // A tutorial never fails, and its results differ from the environment's.
        expect(trajectories.every((trajectory) => toolErrors(trajectory) === 0)).toBe(true);
      },
    ],
  },
  "star-agents": {
    updates: 4,
    settings: { budget: 20 },
    differs: [
      (records) => {
        const statistics = at(records, 0).state["task-stats"] as {
          readonly tasks: { readonly [name: string]: { wins: number; attempts: number } };
        };
        const rateOf = (generator: number): number => {
          const { wins, attempts } = statistics.tasks[`generator-${generator}`] ?? {
            wins: 0,
            attempts: 0,
          };
          return wins / attempts;
        };
        expect(rateOf(0)).toBeGreaterThan(rateOf(2));
        // Generators whose demonstrations were chosen produce more of the next ones.
        const record = at(records, 0);
        const drawn = { good: 0, poor: 0 };
        for (let i = 0; i < 200; i += 1) {
          const { name, options = {} } = record.stage.rollout.strategy({
            step: 3,
            steps: 8,
            state: record.state,
            ports: {},
            random: () => (i * 0.6180339887) % 1,
            signal: new AbortController().signal,
          });
          expect(name).toBe("demos");
          const names = options["names"] as readonly string[];
          drawn.good += names.filter((generator) => generator === "generator-0").length;
          drawn.poor += names.filter((generator) => generator === "generator-2").length;
        }
        expect(drawn.good).toBeGreaterThan(1.2 * drawn.poor);
      },
    ],
  },
  "prism-reranker": {
    differs: [
      shows(0, "evidenced"),
      (records) => {
        const record = at(records, 0);
        expect(record.state.teacher).toHaveLength(3);
        // For each task the majority is kept: kept answers agree, and some trajectories were
        // outvoted.
        const kept = numbersOf(record).groups;
        for (const { trajectories } of kept) {
          const answers = new Set(
            trajectories.map(({ trajectory }) => JSON.stringify(trajectory.verification.reward)),
          );
          expect(answers.size).toBe(1);
          expect(trajectories.length).toBeGreaterThan(1);
        }
        expect([...record.update.dropped.values()]).toContain("outvoted");
      },
      (records) => {
        // Evidence tokens have another weight than answer tokens.
        const { result, minibatch } = numbersOf(at(records, 0));
        const weights = minibatch.trajectories.map(({ trajectory }, b) => {
          const row = result.derivatives.logProb?.[b] ?? [];
          return trajectory.turns.slice(-2).map(({ start }) => row[start] ?? 0);
        });
        expect(weights.every(([answer = 0, evidence = 0]) => answer < 0 && evidence < 0)).toBe(
          true,
        );
        expect(new Set(weights.flat().map((value) => value.toPrecision(6))).size).toBe(2);
      },
    ],
  },
  sap: {
    settings: { replaced: 0.2 },
    differs: [
      (records) => {
        const record = at(records, 0);
        const { minibatch } = numbersOf(record);
        const original = new Map(
          trajectoriesOf(record).map((trajectory) => [trajectory.id, trajectory]),
        );
        let given = 0;
        let replaced = 0;
        for (const [b, { trajectory }] of minibatch.trajectories.entries()) {
          const index = minibatch.samples[b] ?? 0;
          const was = original.get(trajectory.id)?.samples[index];
          const now = trajectory.samples[index];
          for (const [t, said] of (was?.lossMask ?? []).entries()) {
            const isSame = was?.sequence.tokenIds[t] === now?.sequence.tokenIds[t];
            if (said) expect(isSame).toBe(true);
            else {
              given += 1;
              if (!isSame) replaced += 1;
            }
          }
        }
        expect(replaced / given).toBeGreaterThan(0.15);
        expect(replaced / given).toBeLessThan(0.25);
      },
    ],
  },
};
