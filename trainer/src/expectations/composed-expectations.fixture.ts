/**
 * Expectations of recipes that combine shared parts: starts from demonstrations, call costs, gates,
 * tiers, staleness, critics. Recipes with a part of their own are elsewhere.
 */
import { toolCalls } from "@waggle/learning";
import { expect } from "vitest";
import {
  advantagesOf,
  at,
  bonusOnlyOnSuccess,
  callsCost,
  type Check,
  creditsTurns,
  easy,
  trajectoriesOf,
  type Expectation,
  fitsCritic,
  judged,
  keepsMixedGroups,
  keepsSuccesses,
  samplesStale,
  learnsEnded,
  learnsInTurn,
  learnsTurns,
  lengthCosts,
  mean,
  numbersOf,
  paysProgress,
  paysTiers,
  paysTurns,
  remembersTasks,
  schedules,
  rewardedOf,
  single,
  startsFromDemonstrations,
  turnAdvantages,
} from "./recipe-checks.fixture.ts";

/** The difficulty of tasks is scheduled. */
export const difficulty: Check = schedules(-1, (settings) => settings.difficulty);

export const COMPOSED_EXPECTATIONS: { readonly [recipe: string]: Expectation } = {
  webdancer: { differs: [startsFromDemonstrations, keepsSuccesses] },
  asearcher: {
    differs: [
      samplesStale,
      (records) => {
        expect(at(records, -1).stage.settings.maxTurns).toBeGreaterThan(18);
      },
    ],
  },
  astra: { differs: [startsFromDemonstrations, keepsSuccesses, callsCost] },
  "agent-gl": { env: "lookup", differs: [callsCost, difficulty, remembersTasks] },
  "agen-tracer": { env: "key-door", settings: { mostTurns: 6 }, differs: [learnsEnded, paysTiers] },
  "arm-thinker": { differs: [learnsInTurn("rewards", "rewards"), easy(0)] },
  "calibration-rl": {
    differs: [
      (records) => {
        // A confident wrong answer is penalized more than an uncertain one; for right answers it is
        // the reverse.
        const rewarded = rewardedOf(at(records, -1));
        const bySuccess = [true, false].map((success) =>
          rewarded
            .filter(({ trajectory }) => trajectory.verification.success === success)
            .map(({ reward }) => reward.components?.["calibration"] ?? Number.NaN),
        );
        expect(Math.max(...(bySuccess[0] ?? []))).toBeLessThan(Math.min(...(bySuccess[1] ?? [])));
      },
    ],
  },
  "closed-loop-rl": { differs: [startsFromDemonstrations, single] },
  "code-gym": { env: "key-door", settings: { mostTurns: 6 }, differs: [learnsEnded] },
  "deep-sport": { differs: [startsFromDemonstrations, bonusOnlyOnSuccess] },
  "dynamic-planning": {
    env: "lookup",
    differs: [startsFromDemonstrations, single, callsCost, fitsCritic],
  },
  "env-factory": { differs: [startsFromDemonstrations, keepsSuccesses] },
  era: {
    env: "form",
    differs: [startsFromDemonstrations, single, paysTurns, fitsCritic, creditsTurns],
  },
  "fusion-agent": { env: "lookup", differs: [callsCost] },
  "geo-vista": { differs: [startsFromDemonstrations, paysTiers] },
  "gflow-vlm": {
    // The first update starts at the base, where trajectories with equal rewards have equal
    // gradients.
    updates: 2,
    differs: [
      single,
      (records) => {
        // Of two trajectories with equal rewards, the one that became likelier is pulled down
        // relative to the other.
        const { result, minibatch } = numbersOf(at(records, -1));
        const rows = minibatch.trajectories.map(({ reward }, b) => ({
          reward: reward.total,
          pull: Math.max(...Array.from(result.derivatives.logProb?.[b] ?? [], Math.abs)),
        }));
        const wins = rows.filter(({ reward }) => reward === 1).map(({ pull }) => pull.toFixed(9));
        expect(wins.length).toBeGreaterThan(1);
        expect(new Set(wins).size).toBe(wins.length);
      },
    ],
  },
  "graph-walker": {
    differs: [
      startsFromDemonstrations,
      keepsSuccesses,
      learnsInTurn("tokens", "tokens", "rewards"),
    ],
  },
  "grpo-ar": { differs: [startsFromDemonstrations, judged] },
  hdpo: {
    env: "key-door",
    differs: [
      (records) => {
        const record = at(records, -1);
        let compared = 0;
        for (const { trajectories } of numbersOf(record).groups) {
          for (const a of trajectories) {
            for (const b of trajectories) {
              if (a.trajectory.verification.success !== b.trajectory.verification.success) continue;
              if (toolCalls(a.trajectory) <= toolCalls(b.trajectory)) continue;
              const [dear, cheap] = [a, b].map(
                ({ trajectory }) => turnAdvantages(record, trajectory)[0] ?? Number.NaN,
              ) as [number, number];
              if (a.trajectory.verification.success) {
                expect(dear).toBeLessThan(cheap);
                compared += 1;
              } else expect(dear).toBeCloseTo(cheap, 9);
            }
          }
        }
        expect(compared).toBeGreaterThan(0);
      },
    ],
  },
  "indus-agent": { differs: [startsFromDemonstrations, bonusOnlyOnSuccess] },
  "kimi-k2": {
    differs: [
      judged,
      learnsInTurn("tokens", "tokens", "rewards"),
      (records) => {
        // Plain text: the given tokens are learned too.
        const { result, minibatch } = numbersOf(at(records, 0));
        const row = result.derivatives.logProb?.[0] ?? [];
        const given = Array.from(row).filter((_, t) => minibatch.lossMask[0]?.[t] === false);
        expect(given.filter((value) => value !== 0).length).toBeGreaterThan(3);
        expect(at(records, 1).update.dropped.size).toBeGreaterThan(0);
      },
    ],
  },
  "kimi-dev": { differs: [learnsInTurn("rewards", "tokens"), easy(0)] },
  "lm-experimenter": { differs: [single, judged, difficulty, remembersTasks] },
  logigen: { env: "form", differs: [startsFromDemonstrations, keepsSuccesses, paysTurns] },
  "long-vt": {
    differs: [
      keepsSuccesses,
      learnsInTurn("tokens", "rewards", "tokens"),
      (records) => {
        // The last stage learns the policy's own successes, not demonstrations.
        const kept = rewardedOf(at(records, -1)).map(({ trajectory }) => trajectory);
        expect(kept.every(({ record: trajectory }) => trajectory.client.device === "test")).toBe(
          true,
        );
        expect(kept.every(({ verification }) => verification.success)).toBe(true);
      },
    ],
  },
  "planner-r1": { env: "form", differs: [paysTurns, paysProgress] },
  quasar: { differs: [paysTiers] },
  "reflect-retry-reward": {
    differs: [
      learnsTurns(-1, (trajectory, turn) =>
        trajectory.turns.slice(0, turn).some(({ toolCalls: calls }) => calls.length === 0),
      ),
      (records) => {
        // Retries are compared with each other: successful first trials would lower all
        // their advantages.
        const advantages = advantagesOf(at(records, -1));
        expect(Math.max(...advantages)).toBeGreaterThan(0);
        expect(rewardedOf(at(records, -1)).length).toBeLessThan(
          trajectoriesOf(at(records, -1)).length / 2,
        );
      },
    ],
  },
  "remote-agent": {
    env: "key-door",
    settings: { callCost: 0.02 },
    differs: [
      (records) => {
        const rewarded = rewardedOf(at(records, -1));
        const wrong = rewarded.filter(({ trajectory }) => !trajectory.verification.success);
        const right = rewarded.filter(({ trajectory }) => trajectory.verification.success);
        expect(new Set(wrong.map(({ reward }) => reward.total))).toEqual(new Set([0]));
        const few = Math.min(...right.map(({ trajectory }) => toolCalls(trajectory)));
        const [cheap, dear] = [true, false].map((isCheap) =>
          right
            .filter(({ trajectory }) => (toolCalls(trajectory) === few) === isCheap)
            .map(({ reward }) => reward.total),
        );
        expect(mean(cheap ?? [])).toBeGreaterThan(mean(dear ?? []));
      },
    ],
  },
  "rft-instance-filter": { differs: [keepsMixedGroups] },
  "se-gui": {
    env: "form",
    settings: { budget: 16 },
    differs: [
      paysProgress,
      (records) => {
        // Two of the four tasks, each with all of its rollouts.
        const kept = numbersOf(at(records, -1)).groups;
        expect(kept.map(({ trajectories }) => trajectories.length)).toEqual([8, 8]);
      },
    ],
  },
  "sft-grpo-length": {
    settings: { limit: 80, buffer: 70 },
    differs: [startsFromDemonstrations, lengthCosts],
  },
  "spot-agent": { differs: [startsFromDemonstrations, remembersTasks] },
  "ta-mdp": {
    differs: [
      (records) => {
        // The sum of components that were each scaled to standard deviation 1.
        const record = at(records, -1);
        const weights = { outcome: 1, format: 0.2, exec: 0.2 };
        for (const { trajectories } of numbersOf(record).groups) {
          const sums = trajectories.map(() => 0);
          for (const [name, weight] of Object.entries(weights)) {
            const own = trajectories.map(({ reward }) => reward.components?.[name] ?? Number.NaN);
            const center = mean(own);
            const deviation = Math.sqrt(mean(own.map((value) => (value - center) ** 2)));
            for (const [i, value] of own.entries()) {
              sums[i] = (sums[i] ?? 0) + (weight * (value - center)) / (deviation + 1e-6);
            }
          }
          for (const [i, { trajectory }] of trajectories.entries()) {
            expect(turnAdvantages(record, trajectory)[0]).toBeCloseTo(sums[i] ?? Number.NaN, 3);
          }
        }
      },
    ],
  },
  "tool-cua": {
    env: "lookup",
    differs: [
      learnsInTurn("tokens", "rewards", "rewards"),
      bonusOnlyOnSuccess,
      (records) => {
        const actions = rewardedOf(at(records, 1));
        expect(actions.every(({ trajectory }) => trajectory.branch?.original !== undefined)).toBe(
          true,
        );
      },
    ],
  },
  "verl-tool": { differs: [samplesStale] },
  "video-temp-o3": {
    differs: [
      startsFromDemonstrations,
      bonusOnlyOnSuccess,
      learnsTurns(0, (trajectory, turn) =>
        (trajectory.turns[turn]?.toolResults ?? []).every(({ ok }) => ok),
      ),
    ],
  },
  "vl-dac": { env: "form", differs: [single, fitsCritic, creditsTurns] },
  "duration-aware": {
    differs: [
      samplesStale,
      (records) => {
        // Within a trajectory, longer turns have larger weights.
        const record = at(records, -1);
        let compared = 0;
        for (const { trajectory } of rewardedOf(record)) {
          const own = turnAdvantages(record, trajectory).map(Math.abs);
          const lengths = trajectory.turns.map(({ start, end }) => end - start);
          const [longest, shortest] = [Math.max(...lengths), Math.min(...lengths)];
          if (longest === shortest || own.every((value) => value === 0)) continue;
          expect(own[lengths.indexOf(longest)]).toBeGreaterThan(
            own[lengths.indexOf(shortest)] ?? Number.NaN,
          );
          compared += 1;
        }
        expect(compared).toBeGreaterThan(0);
      },
    ],
  },
  "open-agent-rl": {
    settings: { limit: 80, buffer: 70, diverse: 6 },
    differs: [
      startsFromDemonstrations,
      lengthCosts,
      remembersTasks,
      (records) => {
        const turns = rewardedOf(at(records, 0)).map(({ trajectory }) => trajectory.turns.length);
        const short = turns.filter((count) => count <= 2).length;
        expect(2 * short).toBe(turns.length);
      },
    ],
  },
  "ai-search-planner": {
    env: "lookup",
    differs: [
      single,
      callsCost,
      (records) => {
        for (const { trajectory, reward } of rewardedOf(at(records, -1))) {
          expect(reward.components?.["utility"]).toBe(trajectory.verification.reward);
          expect(reward.components?.["price"]).toBe(-toolCalls(trajectory));
        }
      },
    ],
  },
  "ppr-renorm": {
    differs: [
      creditsTurns,
      (records) => {
        // Every step of a failure is worth less than the steps of a success.
        const rewarded = rewardedOf(at(records, -1));
        const [won, lost] = [true, false].map((success) =>
          rewarded
            .filter(({ trajectory }) => trajectory.verification.success === success)
            .flatMap(({ reward }) => reward.turnRewards ?? []),
        );
        expect(Math.min(...(won ?? []))).toBeGreaterThan(Math.max(...(lost ?? [])));
        expect(new Set(won).size).toBeGreaterThan(1);
      },
    ],
  },
  "mua-rl": {
    env: "dialogue",
    differs: [
      (records) => {
        const record = at(records, -1);
        expect(record.stage.state["world-model"]).toBeDefined();
        const { result, minibatch } = numbersOf(record);
        let heard = 0;
        for (const [b, { trajectory }] of minibatch.trajectories.entries()) {
          const { segments } = trajectory.record;
          const first = segments.findIndex(({ kind }) => kind === "sampled");
          heard += segments
            .slice(first)
            .filter((s) => s.kind === "given" && s.role === "user").length;
          const row = result.derivatives.logProb?.[b] ?? [];
          const given = Array.from(row).filter((_, t) => minibatch.lossMask[b]?.[t] !== true);
          expect(given.every((value) => value === 0)).toBe(true);
        }
        expect(heard).toBeGreaterThan(0);
      },
    ],
  },
  "meow-tea-taro": {
    env: "form",
    differs: [
      startsFromDemonstrations,
      single,
      paysTurns,
      fitsCritic,
      (records) => {
        // One budget: 30 steps, a tenth of them imitation.
        const steps = records.map(({ stage }) => stage.steps);
        expect(steps).toEqual([3, 9, 9, 9]);
        // The second estimator leaves each trajectory out of its own mean.
        const record = at(records, 2);
        for (const { trajectories } of numbersOf(record).groups) {
          const rewards = trajectories.map(({ reward }) => reward.total);
          for (const [i, { trajectory }] of trajectories.entries()) {
            const others = mean(rewards.filter((_, j) => j !== i));
            expect(turnAdvantages(record, trajectory)[0]).toBeCloseTo(
              (rewards[i] ?? 0) - others,
              9,
            );
          }
        }
      },
    ],
  },
};
