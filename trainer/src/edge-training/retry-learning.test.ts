/** Pairs of an answer after which the visitor tried again and the answer that the visitor kept. */
import { constantRate } from "@waggle/learning";
import type { Feedback, LeasedGroup, LeasedTrajectory, Trajectory } from "@waggle/protocol";
import { seededRandom, trajectoryDigest } from "@waggle/protocol";
import { afterAll, expect, test } from "vitest";
import { judgeLease } from "../check/lease-judgment.ts";
import type { TrajectoryChecker } from "../check/trajectory-check.ts";
import { initialState } from "../checkpoint/trainer-state.ts";
import { edgeRecipeNamed } from "../recipes/edge-recipe.ts";
import { UNBOUNDED } from "../update/sender-influence.ts";
import { feedbackChecker } from "./feedback-checker.fixture.ts";
import { gain, REQUESTS } from "./feedback-gain.fixture.ts";
import { createSetup, live, removeSetups } from "./training-loop.fixture.ts";
import { TINY_BASE, tinyEngine } from "./training.fixture.ts";

afterAll(removeSetups);

const recipe = edgeRecipeNamed("retries-dpo", {
  groupsPerStep: 4,
  learningRate: constantRate(0.02),
});
const at = "2026-01-01T00:00:00.000Z";

const withSampled = (trajectory: Trajectory, tokenIds: readonly number[]): Trajectory => ({
  ...trajectory,
  id: crypto.randomUUID(),
  segments: trajectory.segments.map((segment) =>
    segment.kind === "sampled" ? { ...segment, tokenIds: [...tokenIds] } : segment,
  ),
});

const said = (
  { id: trajectoryId }: Trajectory,
  kind: Feedback["kind"],
  more: Partial<Feedback> = {},
): Feedback => ({ id: crypto.randomUUID(), trajectoryId, kind, at, ...more });

/** A group of answers to one request, each a retry of the one before. `more`: further feedback, by place. */
async function retriedGroup(
  answers: readonly Trajectory[],
  more: { readonly [place: number]: readonly Feedback["kind"][] } = {},
): Promise<LeasedGroup> {
  const visitorId = crypto.randomUUID();
  const trajectories: LeasedTrajectory[] = [];
  for (const [i, trajectory] of answers.entries()) {
    const next = answers[i + 1];
    const given = (more[i] ?? []).map((kind) => said(trajectory, kind));
    const retry = next === undefined ? [] : [said(trajectory, "retry", { retryId: next.id })];
    const digest = await trajectoryDigest(trajectory);
    trajectories.push({
      digest,
      visitorId,
      receivedAt: at,
      trajectory,
      feedback: [...given, ...retry],
    });
  }
  return { groupId: crypto.randomUUID(), task: null, size: answers.length, trajectories };
}

/** Answers to request number `i`, with these last tokens. */
function answersTo(i: number, ...ends: readonly number[]): Trajectory[] {
  const request = REQUESTS[i]?.trajectories[0]?.trajectory;
  if (request === undefined) throw new Error(`no request ${i}`);
  return ends.map((end, place) => {
    const random = seededRandom(1000 + i, place);
    const tokens = Array.from({ length: 3 }, () => Math.floor(random() * 32));
    return withSampled(request, [...tokens, end]);
  });
}

/** Two answers to each request; the visitor keeps the one with the last token 1, or either of them at random. */
const pairs = (keeps: (i: number) => boolean) =>
  Promise.all(
    REQUESTS.map((_, i) => retriedGroup(keeps(i) ? answersTo(i, 2, 1) : answersTo(i, 1, 2))),
  );

test("answers that visitors kept become likelier than those before; with shuffled sides, or kept at random, they do not", async () => {
  const wanted = await pairs(() => true);
  const honest = await gain("retries-dpo", wanted);
  expect(honest.steps).toBe(20);
  expect(honest.outcomes).toHaveLength(320);
  expect(honest.outcomes.every((outcome) => outcome?.status === "learned")).toBe(true);
  const shuffled = await gain("retries-dpo", wanted, { shuffleAdvantages: true });
  const random = await gain("retries-dpo", await pairs((i) => (i * 7919) % 160 < 80));
  expect(honest.gain).toBeGreaterThan(0.5);
  expect(Math.abs(shuffled.gain)).toBeLessThan(honest.gain / 2);
  expect(Math.abs(random.gain)).toBeLessThan(honest.gain / 2);
});

/** The fixture's checker, with the sender as the trainer's own check notes it. */
const sent: TrajectoryChecker = {
  check: async (leased, ...rest) => {
    const checked = await feedbackChecker(recipe).check(leased, ...rest);
    const { trajectory } = checked;
    return {
      ...checked,
      trajectory: trajectory && { ...trajectory, visitorId: leased.visitorId },
    };
  },
};

test("both records of a pair are learned in one step, once, for one visitor, and each is counted", async () => {
  const groups = await Promise.all(
    Array.from({ length: 8 }, (_, i) => retriedGroup(answersTo(i, 2, 1))),
  );
  const setup = await createSetup(groups);
  const base = await tinyEngine();
  const { summary } = await live(setup, {
    recipe,
    checker: sent,
    base: async (sequences) => [...(await base.forward({ sequences })).logProb],
    shares: { ...UNBOUNDED, visitor: 0.5 },
  });
  await base.dispose();
  expect(summary.state.step).toBe(2);
  expect(setup.edge.reports.get(1)?.learnedFrom).toMatchObject({
    recipe: "retries-dpo",
    trajectories: 16,
    signals: [{ signal: "message:retry", trajectories: 16 }],
  });
  for (const { trajectories } of groups) {
    const outcomes = trajectories.map(({ digest }) => setup.edge.acknowledged.get(digest) ?? []);
    expect(outcomes.map((all) => all.length)).toEqual([1, 1]);
    expect(outcomes.flat()).toMatchObject([
      { status: "learned", reward: 0 },
      { status: "learned", reward: 1 },
    ]);
    expect(outcomes[0]?.[0]?.step).toBe(outcomes[1]?.[0]?.step);
  }
  const senders = summary.state.influence?.map(({ visitor }) => Object.keys(visitor).length);
  expect(senders).toEqual([4, 4]);
});

/** The reasons of a group's records, in their order; "learned" for those that are. */
async function reasonsOf(
  group: LeasedGroup,
  { stopped = [] as string[], checker = sent, by = recipe } = {},
): Promise<string[]> {
  const { outcomes } = await judgeLease(
    { leaseId: crypto.randomUUID(), fencingToken: 1, groups: [group] },
    by,
    checker,
    initialState({ baseModel: TINY_BASE, recipe: recipe.name, seed: 1 }),
    { step: 0, band: 0.1 },
    async () => {},
    new Set(stopped),
  );
  const reasons = new Map(outcomes.map((one) => [one.digest, one.reason ?? one.status]));
  return group.trajectories.map(({ digest }) => reasons.get(digest) ?? "none");
}

test.each([
  "thumb-down",
  "undo",
  "edit",
  "next-repeats",
  "next-corrects",
  "next-contradicts",
] as const)("an answer with %s was not kept", async (kind) => {
  const group = await retriedGroup(answersTo(0, 2, 1), { 1: [kind] });
  expect(await reasonsOf(group)).toEqual(["retry-not-kept", "retry-not-kept"]);
});

test("thanks, a thumb up or a changed mind do not make an answer unwanted, nor does anything about the one before", async () => {
  const changed = { 0: ["thumb-up"], 1: ["thumb-down", "next-thanks", "thumb-up"] } as const;
  expect(await reasonsOf(await retriedGroup(answersTo(0, 2, 1), changed))).toEqual([
    "learned",
    "learned",
  ]);
});

test("of several retries, the last two answers are the pair, and without a kept one there is none", async () => {
  const group = await retriedGroup(answersTo(0, 2, 3, 1));
  expect(await reasonsOf(group)).toEqual(["retry-again", "learned", "learned"]);
  const given = await retriedGroup(answersTo(0, 2, 3, 1), { 2: ["retry"] });
  expect(await reasonsOf(given)).toEqual(["retry-not-kept", "retry-not-kept", "retry-not-kept"]);
});

test("a record whose other side is missing or refused is listed and not learned from", async () => {
  const group = await retriedGroup(answersTo(0, 2, 1));
  const [first, second] = group.trajectories as [LeasedTrajectory, LeasedTrajectory];
  expect(await reasonsOf({ ...group, trajectories: [first] })).toEqual(["retry-missing"]);
  expect(await reasonsOf({ ...group, trajectories: [second] })).toEqual(["no-feedback"]);
  for (const refused of [first, second]) {
    const checker: TrajectoryChecker = {
      check: async (leased, ...rest) =>
        leased.digest === refused.digest
          ? {
              trajectory: null,
              outcome: { digest: leased.digest, status: "skipped", reason: "consent-expired" },
            }
          : sent.check(leased, ...rest),
    };
    expect(await reasonsOf(group, { checker })).toEqual(
      refused === first
        ? ["consent-expired", "retry-missing"]
        : ["retry-missing", "consent-expired"],
    );
  }
});

test("answers in another context, equal answers and records with branches make no pair", async () => {
  const [first, second] = answersTo(0, 2, 1) as [Trajectory, Trajectory];
  const moved = second.segments.map((segment) =>
    segment.kind === "given" ? { ...segment, tokenIds: [...segment.tokenIds, 3] } : segment,
  );
  const other = await retriedGroup([first, { ...second, segments: moved }]);
  expect(await reasonsOf(other)).toEqual(["retry-other-prompt", "retry-other-prompt"]);
  const tokens = first.segments.at(-1)?.tokenIds ?? [];
  const [given, sampled] = withSampled(second, tokens).segments;
  if (given === undefined || sampled?.kind !== "sampled") throw new Error("no answer");
  const again = {
    ...second,
    segments: [given, { ...sampled, sampling: { ...sampled.sampling, seed: 99 } }],
  };
  expect(await reasonsOf(await retriedGroup([first, again]))).toEqual([
    "retry-same-answer",
    "retry-same-answer",
  ]);
  const branch = { ...sampled, id: "s2", tokenIds: [4, 5, 6, 1] };
  const turns = [...second.turns, { ...second.turns[0], segmentId: "s2" }] as Trajectory["turns"];
  const branched = { ...second, segments: [...second.segments, branch], turns };
  expect(await reasonsOf(await retriedGroup([first, branched]))).toEqual([
    "retry-branched",
    "retry-branched",
  ]);
});

test("a stopped signal makes no pair, and a stopped thumb down keeps no answer", async () => {
  const group = await retriedGroup(answersTo(0, 2, 1));
  expect(await reasonsOf(group, { stopped: ["message:retry"] })).toEqual([
    "signal-stopped",
    "signal-stopped",
  ]);
  const disliked = await retriedGroup(answersTo(0, 2, 1), { 1: ["thumb-down"] });
  expect(await reasonsOf(disliked, { stopped: ["thumb"] })).toEqual([
    "retry-not-kept",
    "retry-not-kept",
  ]);
});

test("links that lead round in a circle make no pair", async () => {
  const group = await retriedGroup(answersTo(0, 2, 1));
  const [first, second] = group.trajectories as [LeasedTrajectory, LeasedTrajectory];
  const back = said(second.trajectory, "retry", { retryId: first.trajectory.id });
  const circle = { ...group, trajectories: [first, { ...second, feedback: [back] }] };
  expect(await reasonsOf(circle)).toEqual(["retry-missing", "retry-missing"]);
});

test("another recipe reads a retry as before, and its groups are not pairs", async () => {
  const by = edgeRecipeNamed("messages-reinforce");
  const group = await retriedGroup(answersTo(0, 2, 1), { 1: ["next-thanks"] });
  expect(await reasonsOf(group, { by, checker: feedbackChecker(by) })).toEqual([
    "learned",
    "learned",
  ]);
});
