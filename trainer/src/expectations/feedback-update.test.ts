/**
 * Recipes that learn from feedback alone: an update raises what visitors liked, or what went well, and
 * lowers the rest, regardless of the verifier. The control is plain GRPO, which raises what the
 * verifier rewards.
 */
import { environmentNamed, withVisitors } from "@waggle/environments";
import { recipe, recipeNamed, rewardStage } from "@waggle/learning";
import * as parts from "@waggle/learning/parts";
import { beforeAll, expect, test } from "vitest";
import { skipOutside } from "../../../test/fixtures/long.ts";
import { at, numbersOf } from "./recipe-checks.fixture.ts";
import { actedEnvironment, type StageRecord } from "./recipe-update.fixture.ts";
import { updateAlone } from "./update-alone.fixture.ts";

/**
 * Visitors who like wrong answers, and outcomes that are good after wrong answers. This exposes recipes that use the
 * verifier's reward.
 */
const withFeedback = (feedback: { readonly thumb?: number; readonly outcome?: number }) =>
  actedEnvironment(withVisitors(environmentNamed("opinion"), { noise: 1, feedback }));
let acted: Awaited<ReturnType<typeof actedEnvironment>>;

const GRPO = recipe({
  name: "plain-grpo",
  literature: "ARTIST",
  differs: ["the control of these tests: it is paid by the verifier"],
  schedule: ["one"],
  settings: {},
  stages: () => [
    rewardStage({
      rollout: parts.group(8),
      reward: { ...parts.outcome(), rewards: verified },
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip()],
    }),
  ],
});

const verified: ReturnType<typeof parts.outcome>["rewards"] = ({ trajectories }) =>
  trajectories.map(({ verification }) => ({ total: verification.success ? 1 : 0 }));

beforeAll(async () => {
  acted = await withFeedback({ thumb: 1 });
});

/** Mean of −dL/dlog π over rollouts with good and with bad feedback. */
function pushes(record: StageRecord): { liked: number; disliked: number } {
  const { minibatch, result } = numbersOf(record);
  const of = (isLiked: boolean): number => {
    const rows = minibatch.trajectories.flatMap(({ trajectory: { verification } }, b) =>
      (verification.parts["outcome:solved"] ?? verification.parts["thumb"] === "up") === isLiked
        ? Array.from(result.derivatives.logProb?.[b] ?? [], (slope) => -slope)
        : [],
    );
    expect(rows.length).toBeGreaterThan(0);
    return rows.reduce((sum, push) => sum + push, 0) / rows.length;
  };
  return { liked: of(true), disliked: of(false) };
}

function raisesTheLiked(records: readonly StageRecord[]): void {
  const { liked, disliked } = pushes(at(records, 0));
  expect(liked).toBeGreaterThan(0);
  expect(disliked).toBeLessThan(0);
}

test.each(["thumbs-kto", "thumbs-reinforce"])(
  "%s raises liked rollouts, against the verifier",
  async (name) => {
    const records = await updateAlone(recipeNamed(name)({ attempts: 12 }), acted);
    expect(at(records, 0).update.learned).toBe(true);
    expect(at(records, 0).moved).toBeGreaterThan(0);
    raisesTheLiked(records);
  },
);

test.for([
  ["outcomes-reinforce", { outcome: 1 }],
  ["signals-reinforce", { thumb: 1, outcome: 1 }],
  ["signals-kto", { thumb: 1, outcome: 1 }],
  ["signals-reinforce-plus-plus", { thumb: 1, outcome: 1 }],
] as const)(
  "%s raises rollouts with good outcomes, against the verifier",
  async ([name, weights], context) => {
    skipOutside(name === "signals-reinforce", context);
    const reported = await withFeedback(weights);
    const records = await updateAlone(recipeNamed(name)({ attempts: 12 }), reported);
    expect(at(records, 0).update.learned).toBe(true);
    raisesTheLiked(records);
  },
);

test.for(["openclaw-rl", "all-signals"])(
  "%s raises rollouts with good feedback, against the verifier",
  async (name, context) => {
    skipOutside(name === "openclaw-rl", context);
    const reported = await withFeedback({ outcome: 1 });
    const records = await updateAlone(recipeNamed(name)({ attempts: 12 }), reported);
    expect(at(records, 0).update.learned).toBe(true);
    raisesTheLiked(records);
  },
);

test("openclaw-distill trains only on rollouts that a visitor corrected in words", async () => {
  const honest = withVisitors(environmentNamed("opinion"), { noise: 0, feedback: { message: 1 } });
  const records = await updateAlone(
    recipeNamed("openclaw-distill")({ attempts: 12 }),
    await actedEnvironment(honest),
  );
  const { trajectories } = numbersOf(at(records, 0)).minibatch;
  expect(trajectories.length).toBeGreaterThan(0);
  for (const { trajectory } of trajectories) {
    const { right, correction } = trajectory.verification.parts;
    expect(correction).toBe(`No, ${String(right)}.`);
  }
  expect(at(records, 0).moved).toBeGreaterThan(0);
});

test("outcomes-reinforce does not take thumbs for outcomes", async () => {
  await expect(updateAlone(recipeNamed("outcomes-reinforce")(), acted)).rejects.toMatchObject({
    code: "REWARD_UNAVAILABLE",
  });
});

test("single rollouts suffice: no group shares a task", async () => {
  const records = await updateAlone(recipeNamed("thumbs-reinforce")({ attempts: 12 }), acted);
  for (const { trajectories } of at(records, 0).groups) expect(trajectories).toHaveLength(1);
});

test("the control: plain GRPO raises what the verifier rewards, which these visitors dislike", async () => {
  const records = await updateAlone(GRPO(), acted);
  expect(() => raisesTheLiked(records)).toThrow(/./);
});

test("rollouts without feedback have no reward and do not count as disliked", async () => {
  const silent = await actedEnvironment(environmentNamed("opinion"));
  await expect(updateAlone(recipeNamed("thumbs-kto")(), silent)).rejects.toMatchObject({
    code: "REWARD_UNAVAILABLE",
  });
});
