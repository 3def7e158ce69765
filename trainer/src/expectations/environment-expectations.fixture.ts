/**
 * Expectations of recipes that change the environment, credit single turns or choose the next
 * tasks.
 */
import { expect } from "vitest";
import {
  at,
  type Check,
  trajectoriesOf,
  type Expectation,
  keeps,
  learnsTurns,
  mean,
  numbersOf,
  paysProgress,
  remembersTasks,
  schedules,
  rewardedOf,
  startsFromDemonstrations,
} from "./recipe-checks.fixture.ts";
import { difficulty } from "./composed-expectations.fixture.ts";
import { type StageRecord } from "./recipe-update.fixture.ts";
import { IMAGINED_RESULT } from "./imagined-environment.fixture.ts";

/** A tool's answer when its call budget is exhausted. */
const NO_CALLS_LEFT = "no calls left";

/** Share of tool results that a model of the environment simulated. */
function imaginedShare(record: StageRecord): number {
  const results = trajectoriesOf(record)
    .filter(({ role }) => role === "policy")
    .flatMap(({ turns }) => turns.flatMap(({ toolResults }) => toolResults));
  const imagined = results.filter((result) => result.ok && result.value === IMAGINED_RESULT);
  return imagined.length / results.length;
}

/**
 * Every result that the policy read was simulated, and the verifier still judged the real calls.
 */
const simulated: Check = (records) => {
  expect(imaginedShare(at(records, -1))).toBe(1);
  const successes = trajectoriesOf(at(records, -1)).map(({ verification }) => verification.success);
  expect(new Set(successes).size).toBeGreaterThan(1);
};

/** The documents found include supporting and irrelevant ones. */
const searches: Check = (records) => {
  const record = at(records, -1);
  expect(record.stage.state.corpus).toBeDefined();
  const parts = trajectoriesOf(record).map(({ verification }) => verification.parts);
  const needed = parts.map(({ found, relevant }) => {
    const seen = String(found).split(/[ |]/);
    return String(relevant)
      .split(" ")
      .map((id) => seen.includes(id));
  });
  expect(needed.flat()).toContain(true);
  expect(needed.flat()).toContain(false);
};

/** Names of the tools called in the last stage. */
function toolsUsed(records: readonly StageRecord[]): Set<string> {
  const turns = trajectoriesOf(at(records, -1)).flatMap((trajectory) => trajectory.turns);
  return new Set(turns.flatMap(({ toolCalls }) => toolCalls.map(({ name }) => name)));
}

export const ENVIRONMENT_EXPECTATIONS: { readonly [recipe: string]: Expectation } = {
  cm2: {
    env: "form",
    differs: [
      startsFromDemonstrations,
      simulated,
      (records) => {
        // Criteria are binary, cite a call as evidence, and are only rewarded at the end.
        const rewarded = rewardedOf(at(records, -1));
        expect(rewarded.some(({ reward }) => (reward.components?.["met"] ?? 0) > 1)).toBe(true);
        for (const { reward } of rewarded) {
          const paid = reward.turnRewards ?? [];
          expect(paid.slice(0, -1).every((reward) => reward === 0)).toBe(true);
          expect(paid.at(-1)).toBeCloseTo(reward.total, 12);
        }
      },
    ],
  },
  "auto-coa": {
    env: "key-door",
    differs: [
      startsFromDemonstrations,
      (records) => {
        const share = imaginedShare(at(records, -1));
        expect(share).toBeGreaterThan(0.2);
        expect(share).toBeLessThan(0.8);
      },
    ],
  },
  simia: {
    env: "form",
    differs: [
      startsFromDemonstrations,
      simulated,
      (records) => {
        // The reward is the model's verdict, which differs from the verifier's.
        const rewarded = rewardedOf(at(records, -1));
        expect(rewarded[0]?.trajectory.verification.parts["verdict"]).toBeDefined();
        expect(
          rewarded.some(
            ({ reward, trajectory }) => reward.total !== Number(trajectory.verification.success),
          ),
        ).toBe(true);
      },
    ],
  },
  ssrl: {
    env: "form",
    differs: [
      simulated,
      (records) => {
        const { name, options } = at(records, -1).strategy;
        expect(name).toBe("group");
        const environments = [{ kind: "simulated", by: "policy" }];
        expect(options).toMatchObject({ environments });
      },
    ],
  },
  "vla-rft": {
    env: "form",
    differs: [
      simulated,
      (records) => {
        const record = at(records, -1);
        expect(
          record.groups.every(({ trajectories }) => trajectories.at(-1)?.role === "reference"),
        ).toBe(true);
        const rewarded = rewardedOf(record);
        expect(rewarded.every(({ trajectory }) => trajectory.role === "policy")).toBe(true);
        expect(rewarded.some(({ reward }) => reward.total > 0 && reward.total < 1)).toBe(true);
      },
    ],
  },
  ada: {
    env: "lookup",
    differs: [
      remembersTasks,
      (records) => {
        const trajectories = trajectoriesOf(at(records, -1));
        const trials = trajectories.map(({ verification }) => verification.parts["trials"]);
        expect(trials).toContain(1);
        expect(trials).toContain(2);
        // A success in the first trial ends the rollout.
        for (const { verification } of trajectories) {
          if (verification.parts["trials"] === 1) expect(verification.success).toBe(true);
        }
      },
    ],
  },
  akbe: {
    env: "lookup",
    differs: [
      (records) => {
        const { groups } = at(records, -1);
        for (const { trajectories } of groups) {
          const alone = trajectories.filter(({ role }) => role === "alone");
          expect(alone.length).toBe(trajectories.length / 2);
          const results = alone.flatMap(({ turns }) => turns.flatMap((turn) => turn.toolResults));
          expect(results.every(({ ok }) => !ok)).toBe(true);
        }
      },
      (records) => {
        // Successes have a signal in addition to the surrogate's, which is centered on the group.
        const labels = rewardedOf(at(records, -1)).map(
          ({ reward }) => reward.components?.["toolNeed"],
        );
        expect(labels).toContain(1);
      },
    ],
  },
  "deep-eyes-v2": {
    env: "lookup",
    differs: [
      startsFromDemonstrations,
      remembersTasks,
      (records) => {
        const record = at(records, -1);
        for (const { task } of numbersOf(record).groups) {
          const rolled = record.groups.find((group) => group.task === task)?.trajectories ?? [];
          const [tools, alone] = [false, true].map((isAlone) =>
            mean(
              rolled
                .filter(({ role }) => (role === "alone") === isAlone)
                .map(({ verification }) => verification.reward),
            ),
          );
          expect(tools).toBeGreaterThan(alone ?? 1);
        }
      },
    ],
  },
  "para-grpo": {
    env: "lookup",
    settings: { leastCalls: 1, mostCalls: 2 },
    differs: [
      (records) => {
        const { groups } = at(records, -1);
        const budgets = groups.map(({ trajectories }) => {
          const told = new Set(
            trajectories.map(({ record: trajectory }) =>
              trajectory.segments[0]?.tokenIds.join(" "),
            ),
          );
          // Members of a group have the same announced budget.
          expect(told.size).toBe(1);
          const ran = trajectories.map(({ turns }) =>
            turns.flatMap(({ toolResults }) =>
              toolResults.filter((result) => result.ok || result.error.message !== NO_CALLS_LEFT),
            ),
          );
          return Math.max(...ran.map((results) => results.length));
        });
        expect(Math.max(...budgets)).toBeLessThanOrEqual(2);
        expect(
          trajectoriesOf(at(records, -1)).some(({ turns }) =>
            turns.some(({ toolResults }) =>
              toolResults.some((result) => !result.ok && result.error.message === NO_CALLS_LEFT),
            ),
          ),
        ).toBe(true);
      },
      (records) => {
        const { stage } = at(records, -1);
        expect(stage.losses.map(({ loss }) => loss.part)).toContain("struct-tok");
      },
    ],
  },
  severa: {
    env: "lookup",
    settings: { mostCalls: 2 },
    differs: [
      (records) => {
        const trajectories = trajectoriesOf(at(records, -1));
        const refused = trajectories.flatMap(({ turns }) =>
          turns.filter(({ toolResults }) =>
            toolResults.some((result) => !result.ok && result.error.message === "refused"),
          ),
        );
        expect(refused.length).toBeGreaterThan(0);
        // Regardless of the weights, no tool receives more calls than the contract allows.
        for (const { turns } of trajectories) {
          const reached = turns.filter(
            ({ toolCalls: calls, toolResults }) =>
              calls.length > 0 &&
              toolResults.every((result) => result.ok || result.error.message !== "refused"),
          );
          expect(reached.length).toBeLessThanOrEqual(2);
        }
      },
      learnsTurns(1, ({ turns }, turn) =>
        (turns[turn]?.toolResults ?? []).every(
          (result) => result.ok || result.error.message !== "refused",
        ),
      ),
    ],
  },
  "interact-rag": {
    env: "library",
    differs: [
      startsFromDemonstrations,
      searches,
      keeps(0, ({ verification }) => verification.success),
    ],
  },
  "marag-r1": {
    env: "library",
    differs: [
      startsFromDemonstrations,
      searches,
      (records) => {
        expect(records).toHaveLength(2);
        expect([...toolsUsed(records)].toSorted()).toEqual(["about", "find", "search"]);
      },
    ],
  },
  "mask-search": {
    env: "library",
    differs: [
      searches,
      schedules(-1, ({ difficulty }) => difficulty),
      (records) => {
        expect(records.map(({ stage }) => stage.learns)).toEqual(["tokens", "rewards"]);
        const requests = trajectoriesOf(at(records, -1)).map(({ verification }) =>
          String(verification.parts["request"]),
        );
        expect(requests.some((request) => request.startsWith("Fill in:"))).toBe(true);
      },
    ],
  },
  "sci-researcher": {
    env: "library",
    differs: [
      startsFromDemonstrations,
      searches,
      keeps(0, ({ verification: { success, parts } }) => {
        const found = new Set(String(parts["found"]).split(/[ |]/));
        return (
          success &&
          String(parts["relevant"])
            .split(" ")
            .every((id) => found.has(id))
        );
      }),
    ],
  },
  "deep-dx-search": {
    env: "library",
    differs: [
      searches,
      (records) => {
        for (const { reward, trajectory } of rewardedOf(at(records, -1))) {
          const {
            outcome = 0,
            format = 0,
            process = 0,
            retrieval = Number.NaN,
          } = reward.components ?? {};
          expect(reward.total).toBeCloseTo(
            outcome + 0.1 * format + 0.2 * process + 0.5 * retrieval,
            9,
          );
          const found = new Set(String(trajectory.verification.parts["found"]).split(/[ |]/));
          const wanted = String(trajectory.verification.parts["relevant"]).split(" ");
          expect(retrieval).toBeCloseTo(
            wanted.filter((id) => found.has(id)).length / wanted.length,
            9,
          );
        }
      },
    ],
  },
  "environment-tuning": {
    seed: 2,
    differs: [
      difficulty,
      paysProgress,
      (records) => {
        const results = trajectoriesOf(at(records, -1)).flatMap(({ turns }) =>
          turns.flatMap(({ toolResults }) => toolResults),
        );
        const failed = results.flatMap((result) => (result.ok ? [] : [result.error.message]));
        expect(failed.length).toBeGreaterThan(0);
        expect(failed.every((message) => /; try \w+\(\w+/.test(message))).toBe(true);
      },
    ],
  },
};
