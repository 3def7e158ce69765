/** A training loop that learns from nothing but thumbs, or nothing but outcomes, on single requests. */
import type { Feedback, LeasedGroup, LeasedTrajectory, SiteMetrics } from "@waggle/protocol";
import { afterAll, expect, test } from "vitest";
import { skipOutside } from "../../../test/fixtures/long.ts";
import { gain, isWanted, REQUESTS, withThumbs } from "./feedback-gain.fixture.ts";
import { removeSetups } from "./training-loop.fixture.ts";

afterAll(removeSetups);

/** What people type or click after the answer. */
function withMessages(likes: (request: LeasedTrajectory, index: number) => boolean): LeasedGroup[] {
  const unhappy = ["next-corrects", "next-repeats", "next-contradicts", "retry"] as const;
  return REQUESTS.map((group, i) => ({
    ...group,
    trajectories: group.trajectories.map((request) => {
      const kind: Feedback["kind"] = likes(request, i)
        ? "next-thanks"
        : (unhappy[i % 4] ?? "retry");
      const { id: trajectoryId } = request.trajectory;
      const said = { id: crypto.randomUUID(), trajectoryId, kind, at: request.receivedAt };
      return { ...request, feedback: [said] };
    }),
  }));
}

/** People change the answer. */
function withEdits(): LeasedGroup[] {
  return REQUESTS.map((group) => ({
    ...group,
    trajectories: group.trajectories.map((request): LeasedTrajectory => {
      const { id: trajectoryId } = request.trajectory;
      const [text, at] = ["changed", request.receivedAt];
      const edit: Feedback = { id: crypto.randomUUID(), trajectoryId, kind: "edit", text, at };
      return { ...request, feedback: [edit] };
    }),
  }));
}

/** Staff write what each answer should have been. */
function withStaffAnswers(): LeasedGroup[] {
  return REQUESTS.map((group) => ({
    ...group,
    trajectories: group.trajectories.map((request) => ({ ...request, staffAnswer: "It is 3." })),
  }));
}

const METRICS = {
  booked: { type: "boolean", better: "higher" },
  complaints: { type: "number", better: "lower", range: [0, 4] },
} as const satisfies SiteMetrics;

/** Some requests have one outcome, some another, some both: what is missing says nothing. */
function withOutcomes(likes: (request: LeasedTrajectory, index: number) => boolean): LeasedGroup[] {
  return REQUESTS.map((group, i) => ({
    ...group,
    trajectories: group.trajectories.map((request) => {
      const isGood = likes(request, i);
      const { booked, complaints } = METRICS;
      const all = [
        { metric: "booked", value: isGood, source: "server", declared: booked },
        { metric: "complaints", value: isGood ? 0 : 4, source: "page", declared: complaints },
      ] as const;
      return { ...request, outcomes: all.filter((_, metric) => i % 3 !== metric) };
    }),
  }));
}

const atRandom = (_: LeasedTrajectory, i: number): boolean => (i * 7919) % 160 < 80;

/** Nats per answer. All requests are of version 0, so importance weights make a push against unlikely answers weak. */
const LEAST = { weighted: 0.3, unweighted: 1 };

/** Also run by `npm test`; `compared-candidates.test.ts` has thumbs with REINFORCE on a real model. */
const SAMPLE: readonly string[] = ["messages-reinforce", "thumbs-kto", "signals-reinforce"];

test.for([
  ["thumbs-reinforce", withThumbs, LEAST.weighted],
  ["outcomes-reinforce", withOutcomes, LEAST.weighted],
  ["messages-reinforce", withMessages, LEAST.weighted],
  ["thumbs-kto", withThumbs, LEAST.unweighted],
  ["signals-kto", withOutcomes, LEAST.unweighted],
  ["signals-reinforce-plus-plus", withOutcomes, LEAST.weighted],
] as const)(
  "%s makes wanted answers likelier from feedback on up to ten versions ago; from feedback at random it does not",
  async ([name, withFeedback, least], context) => {
    skipOutside(SAMPLE.includes(name), context);
    const honest = await gain(name, withFeedback(isWanted));
    expect(honest.steps).toBe(20);
    expect(honest.outcomes.every((outcome) => outcome?.status === "learned")).toBe(true);
    const random = await gain(name, withFeedback(atRandom));
    expect(honest.publications).toBe(10);
    expect(honest.gain).toBeGreaterThan(least);
    expect(Math.abs(random.gain)).toBeLessThan(honest.gain / 2);
  },
);

test("with shuffled labels, KTO does not learn what people like", async (context) => {
  // `npm test` has thumbs at random as the control of KTO.
  skipOutside(false, context);
  const liked = withThumbs(isWanted);
  const { gain: shuffled, steps } = await gain("thumbs-kto", liked, { shuffleAdvantages: true });
  expect(steps).toBe(20);
  expect(Math.abs(shuffled)).toBeLessThan(0.5);
});

test.for([
  ["signals-reinforce", LEAST.weighted],
  ["signals-reinforce-plus-plus", LEAST.weighted],
  ["signals-kto", LEAST.unweighted],
] as const)(
  "%s, which reads several signals, learns from requests of which each has one",
  async ([name, least], context) => {
    skipOutside(SAMPLE.includes(name), context);
    const thumbs = withThumbs((request, i) => (i % 2 === 0 ? isWanted(request) : null));
    const outcomes = withOutcomes(isWanted);
    const mixed = REQUESTS.map((_, i) => (i % 2 === 0 ? thumbs[i] : outcomes[i]) as LeasedGroup);
    const { gain: both, outcomes: settled } = await gain(name, mixed);
    expect(settled.every((outcome) => outcome?.status === "learned")).toBe(true);
    expect(both).toBeGreaterThan(least);
  },
);

test.each([
  ["thumbs-reinforce", withThumbs(() => null)],
  ["thumbs-reinforce", withOutcomes(isWanted)],
  ["outcomes-reinforce", withThumbs(isWanted)],
  ["messages-reinforce", withThumbs(isWanted)],
  ["messages-reinforce", withEdits()],
  ["corrections-imitate", withMessages(isWanted)],
  // What is left of a request on which staff only comment.
  ["corrections-imitate", REQUESTS],
  ["signals-reinforce", withStaffAnswers()],
  ["signals-reinforce-plus-plus", withStaffAnswers()],
  ["thumbs-kto", withOutcomes(isWanted)],
  ["signals-kto", withStaffAnswers()],
  ["corrections-dpo", withThumbs(isWanted)],
] as const)("%s learns nothing without feedback that it reads", async (name, groups) => {
  const silent = await gain(name, groups);
  expect(silent).toMatchObject({ gain: 0, steps: 0 });
  expect(silent.outcomes.every((outcome) => outcome?.reason === "no-feedback")).toBe(true);
});
