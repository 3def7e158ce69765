/** Expectations of recipes that credit single turns, or choose what is learned and tried next. */
import { settingsAt, toolErrors } from "@waggle/learning";
import { expect } from "vitest";
import {
  at,
  type Check,
  trajectoriesOf,
  type Expectation,
  fitsCritic,
  keeps,
  learnsTurns,
  mean,
  numbersOf,
  paysTurns,
  rewardedOf,
  single,
  startsFromDemonstrations,
} from "./recipe-checks.fixture.ts";

/** Trajectories that were cut in an earlier update are the start of longer ones. */
const continuesCut: Check = (records) => {
  const record = at(records, -1);
  const before = record.earlier.flatMap((update) => trajectoriesOf(update));
  const cut = before.filter(({ record: trajectory }) => trajectory.stopReason === "max-turns");
  expect(cut.length).toBeGreaterThan(0);
  const goneOn = trajectoriesOf(record).filter(({ id, record: { turns, segments } }) =>
    cut.some(
      ({ id: earlier, record: trajectory }) =>
        earlier !== id &&
        trajectory.turns.length < turns.length &&
        trajectory.segments.every(
          ({ tokenIds }, i) => segments[i]?.tokenIds.join() === tokenIds.join(),
        ),
    ),
  );
  expect(goneOn.length).toBeGreaterThan(0);
};

export const TURN_EXPECTATIONS: { readonly [recipe: string]: Expectation } = {
  "spa-rl": {
    updates: 2,
    differs: [
      single,
      fitsCritic,
      (records) => {
        const record = at(records, -1);
        const { weights } = record.state["progress-est"] as { weights: readonly number[] };
        expect(weights.some((weight) => weight !== 0)).toBe(true);
        let spread = 0;
        for (const { reward, trajectory } of rewardedOf(record)) {
          const paid = reward.turnRewards ?? [];
          // The outcome is fully redistributed: turn rewards sum to the outcome plus up to 0.1 for
          // executed calls.
          const more =
            paid.reduce((all, reward) => all + reward, 0) - trajectory.verification.reward;
          expect(more).toBeGreaterThan(-1e-9);
          expect(more).toBeLessThan(0.1 + 1e-9);
          if (
            trajectory.verification.success &&
            paid.slice(0, -1).some((reward) => reward > 0.05)
          ) {
            spread += 1;
          }
        }
        expect(spread).toBeGreaterThan(0);
      },
    ],
  },
  polychromic: {
    env: "key-door",
    differs: [
      fitsCritic,
      (records) => {
        const record = at(records, -1);
        expect(trajectoriesOf(record).some(({ branch }) => branch !== null)).toBe(true);
        // Of two successes, the one that did the same as others earns less.
        const { groups, advantages } = numbersOf(record);
        let unlike = 0;
        for (const { trajectories } of groups) {
          const successes = trajectories.filter(
            ({ trajectory }) => trajectory.verification.success,
          );
          const last = successes.map(({ trajectory: { id, turns } }) => {
            const turn = turns.at(-1);
            return advantages?.get(id)?.[turn?.sample ?? 0]?.[turn?.start ?? 0] ?? 0;
          });
          if (new Set(last.map((value) => value.toFixed(9))).size > 1) unlike += 1;
        }
        expect(unlike).toBeGreaterThan(0);
      },
    ],
  },
  "dr-venus": {
    env: "lookup",
    differs: [
      startsFromDemonstrations,
      paysTurns,
      (records) => {
        const gained = rewardedOf(at(records, -1)).map(
          ({ reward }) => reward.components?.["gained"] ?? 0,
        );
        expect(gained.some((gain) => gain > 0)).toBe(true);
        expect(gained.some((gain) => gain < 0)).toBe(true);
      },
    ],
  },
  "ace-reason": {
    updates: 2,
    differs: [
      startsFromDemonstrations,
      (records) => {
        // The policy of these tests is nearly uniform: its entropy is above the target, so the
        // temperature falls.
        const { stage, state, earlier } = at(records, -1);
        const context = {
          step: 1,
          steps: stage.steps,
          random: () => 0.5,
          ports: {},
          signal: new AbortController().signal,
        };
        const [before, after] = [earlier.at(-1)?.state ?? {}, state].map(
          (seen) => settingsAt(stage, { ...context, state: seen }).sampling.temperature,
        );
        expect(before).toBeLessThan(1);
        expect(after).toBeLessThanOrEqual(before ?? 0);
      },
    ],
  },
  "pilot-rl": {
    env: "key-door",
    differs: [
      learnsTurns(0, (_, turn) => turn > 0),
      learnsTurns(1, (_, turn) => turn === 0),
      paysTurns,
    ],
  },
  "visual-arft": {
    env: "lookup",
    differs: [
      (records) => {
        for (const { reward, trajectory } of rewardedOf(at(records, -1))) {
          const { f1 = Number.NaN, format = 0, exec = 0 } = reward.components ?? {};
          expect(f1 === 1).toBe(
            trajectory.verification.parts["text"] === trajectory.verification.parts["answer"],
          );
          expect(reward.total).toBeCloseTo(f1 + 0.2 * format + 0.2 * exec, 9);
        }
      },
    ],
  },
  "re-watch-r1": {
    env: "lookup",
    differs: [
      startsFromDemonstrations,
      keeps(
        0,
        ({ verification, record: trajectory }) => verification.success && trajectory.terminated,
      ),
      (records) => {
        const rewarded = rewardedOf(at(records, -1));
        const grounded = rewarded.map(({ reward }) => reward.components?.["grounding"] ?? 0);
        expect(grounded).toContain(1);
        expect(grounded).toContain(-1);
      },
    ],
  },
  rlfh: {
    env: "lookup",
    differs: [
      single,
      fitsCritic,
      (records) => {
        // The verdict applies to the turn with the claim: the last one, if a tool supports it.
        const rewarded = rewardedOf(at(records, -1));
        expect(rewarded.some(({ reward }) => reward.components?.["grounding"] === 1)).toBe(true);
        for (const { reward, trajectory } of rewarded) {
          const { text } = trajectory.verification.parts;
          const results = trajectory.turns.flatMap(({ toolResults }) => toolResults);
          const isSaid = results.some((result) => result.ok && result.value === text);
          const verdict = text === "" ? 0 : isSaid ? 1 : -1;
          expect(reward.components?.["grounding"]).toBe(verdict);
          expect(reward.total).toBeCloseTo(trajectory.verification.reward + 0.5 * verdict, 9);
          expect(reward.turnRewards?.length).toBe(trajectory.turns.length);
        }
      },
    ],
  },
  "slide-rl": {
    env: "form",
    differs: [
      (records) => {
        const rewarded = rewardedOf(at(records, -1));
        const recovered = rewarded.map(
          ({ reward }) => reward.components?.["reconstruct"] ?? Number.NaN,
        );
        expect(recovered.some((value) => value > 0 && value < 1)).toBe(true);
        // Setting more fields allows more of the request to be reconstructed.
        const done = (isMost: boolean): number[] =>
          rewarded.flatMap(({ trajectory, reward }) =>
            (trajectory.verification.success || toolErrors(trajectory) > 0) === isMost
              ? [reward.components?.["reconstruct"] ?? 0]
              : [],
          );
        expect(mean(done(true))).toBeGreaterThan(0);
      },
    ],
  },
  "rise-rationale": {
    env: "lookup",
    differs: [
      (records) => {
        expect(records.map(({ stage }) => stage.learns)).toEqual(["rewards", "tokens", "rewards"]);
        // The last look-up result decides the reward, not the text.
        for (const { reward, trajectory } of rewardedOf(at(records, 0))) {
          const results = trajectory.turns.flatMap(({ toolResults }) => toolResults);
          const last = results.findLast(({ ok }) => ok);
          const found = last?.ok === true && last.value === trajectory.verification.parts["answer"];
          expect(reward.total).toBe(found ? 1 : 0);
        }
      },
    ],
  },
  "agentic-qwen": {
    differs: [
      (records) => {
        const { stage, state, groups } = at(records, -1);
        const wheel = state["task-stats"] as {
          waiting: readonly { task: { seed: number }; generation: number }[];
        };
        expect(wheel.waiting.length).toBeGreaterThan(0);
        const rolled = groups.map(({ trajectories }) => trajectories[0]?.record.task?.seed);
        expect(wheel.waiting.some(({ task }) => rolled.includes(task.seed))).toBe(false);
        // Waiting tasks come first in the next step.
        const [filter] = stage.filters;
        const context = {
          step: 1,
          steps: stage.steps,
          random: () => 0.5,
          ports: {},
          state,
          signal: new AbortController().signal,
        };
        const [next] = filter?.chooseTasks?.([], 1, context) ?? [];
        expect(next?.seed).toBe(wheel.waiting[0]?.task.seed);
      },
    ],
  },
  "agent-math": { env: "lookup", updates: 3, differs: [startsFromDemonstrations, continuesCut] },
  "aegis-identifier": {
    differs: [
      (records) => {
        const record = at(records, -1);
        expect(numbersOf(record).minibatch.pairs.length).toBeGreaterThan(0);
        const parts = record.stage.losses.map(({ loss }) => loss.part);
        expect(parts).toEqual(["pg-clip", "span-mask", "contrast"]);
        expect(
          trajectoriesOf(record).every(
            ({ record: trajectory }) => trajectory.client.device === "none",
          ),
        ).toBe(true);
      },
    ],
  },
  "flow-grpo": {
    env: "lookup",
    differs: [
      (records) => {
        const { advantages, groups } = numbersOf(at(records, -1));
        let several = 0;
        for (const { trajectories } of groups) {
          for (const { trajectory } of trajectories) {
            // A sample is one turn, and the other turns of its rollout have the same advantage.
            expect(trajectory.record.turns).toHaveLength(1);
            const others = trajectories.filter(
              (other) => other.trajectory.joint === trajectory.joint,
            );
            several = Math.max(several, others.length);
            const own = others.map(({ trajectory: { id, turns } }) =>
              turns[0] === undefined ? null : advantages?.get(id)?.[0]?.[turns[0].start],
            );
            expect(new Set(own).size).toBe(1);
          }
        }
        expect(several).toBeGreaterThan(1);
      },
      learnsTurns(0, ({ turns }) => (turns[0]?.toolCalls.length ?? 0) > 0),
    ],
  },
  "persona-mem-v2": {
    env: "dialogue",
    differs: [
      (records) => {
        const record = at(records, -1);
        expect(record.stage.state["memory-bank"]).toBeDefined();
        const rollouts = new Map<string, number>();
        for (const { joint, record: trajectory } of trajectoriesOf(record)) {
          expect(trajectory.turns.length).toBeLessThanOrEqual(1);
          rollouts.set(joint ?? "", (rollouts.get(joint ?? "") ?? 0) + 1);
        }
        expect(Math.max(...rollouts.values())).toBeGreaterThan(2);
      },
    ],
  },
  "game-coder": {
    updates: 2,
    differs: [
      (records) => {
        expect(records.map(({ stage }) => stage.learns)).toEqual(["tokens", "tokens", "rewards"]);
        const verified = rewardedOf(at(records, 1)).map(
          ({ trajectory }) => trajectory.verification,
        );
        expect(verified.every(({ success }) => success)).toBe(true);
      },
      (records) => {
        const record = at(records, -1);
        expect(trajectoriesOf(record).some(({ read }) => read !== null)).toBe(true);
        for (const { reward } of rewardedOf(record)) {
          const { outcome = 0, exec = Number.NaN } = reward.components ?? {};
          expect(reward.total).toBeCloseTo(outcome + exec, 9);
        }
      },
    ],
  },
};
