/**
 * A site without an environment and without a release: a judge on a real HTTP server compares each candidate's answers to
 * held-out requests with the stable version's.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { constantRate } from "@waggle/learning";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { isLong, skipOutside } from "../../../test/fixtures/long.ts";
import { openTrainerCheckpoints } from "../checkpoint/trainer-checkpoint.ts";
import { FakeEdge } from "../edge/fake-edge.fixture.ts";
import { createJudgeServer } from "../judge/judge-server.ts";
import { scriptedJudge } from "../judge/scripted-judge.fixture.ts";
import { createReporter } from "../metrics/reporter.ts";
import type { BaseModel } from "../model/base-model.ts";
import { banditBase } from "../pretrain/bandit-base.fixture.ts";
import { edgeRecipeNamed } from "../recipes/edge-recipe.ts";
import { type LiveRequest, liveRequests, WANTED, withThumbs } from "./live-requests.fixture.ts";
import { sessionOptions } from "./session-options.fixture.ts";
import { trainFromEdge } from "./training-session.ts";

const REQUESTS = 160;
const STEPS = 10;
const HELD_OUT = 128;
const recipe = edgeRecipeNamed("thumbs-reinforce", {
  groupsPerStep: REQUESTS / STEPS,
  learningRate: constantRate(0.006),
});

let model: BaseModel;
let requests: LiveRequest[];
let unrated: LiveRequest[];
beforeAll(async () => {
  model = await banditBase();
  const { sampling } = recipe.stage.settings;
  requests = await liveRequests(model, sampling, REQUESTS);
  unrated = await liveRequests(model, sampling, HELD_OUT, 10_000);
}, 600_000);

/** What a judge who knows what visitors want says of the answers in its order. */
function rightGrades(user: string): string {
  const [request = "", ...answers] = [...user.matchAll(/>>>\n([^]*?)\n<<<end/g)].map(
    ([, text = ""]) => text,
  );
  const wanted = WANTED[request.split(" ")[0] ?? ""] ?? "nothing";
  return JSON.stringify({ grades: answers.map((text) => (text.includes(wanted) ? 10 : 0)) });
}

/** A thumb up for a lever that is never the wanted one. */
const NEXT: { readonly [lever: string]: string } = {
  left: "middle",
  middle: "right",
  right: "left",
};
const isWrongLever = ({ said, wanted }: LiveRequest): boolean =>
  said.includes(NEXT[wanted] ?? "nothing");

type Session = {
  readonly reply?: (user: string, number: number) => string | number;
  readonly isUp?: (request: LiveRequest) => boolean;
  readonly hasRelease?: boolean;
  /** Requests without feedback at the edge. */
  readonly open?: readonly LiveRequest[];
  /** Whether the judge compares. */
  readonly compares?: boolean;
};

async function trained({
  reply = rightGrades,
  isUp = ({ isWanted }) => isWanted,
  hasRelease = false,
  open = unrated,
  compares = true,
}: Session) {
  const judge = await scriptedJudge(({ user }, number) => reply(user, number));
  const folder = await mkdtemp(join(tmpdir(), "waggle-compared-"));
  onTestFinished(async () => {
    await judge.close();
    await rm(folder, { recursive: true, force: true });
  });
  const edge = new FakeEdge(withThumbs(requests, isUp), model.reference.sha256);
  edge.requests = open.map(({ leased }) => leased);
  const control = { environment: "", feedbackWaitSeconds: 60, feedbackFrom: ["thumb" as const] };
  edge.control = { ...edge.control, ...control };
  const limits = { minTasks: 64, margin: 0.03, significance: 0.05 };
  edge.gate = { ...limits, hasEnvironment: false, hasRelease };
  edge.firstShare = hasRelease ? 0.1 : null;
  // The folder of the base is gone; the edge has its files.
  for (const { sha256 } of model.reference.files) {
    edge.objects.set(sha256, new Uint8Array());
    edge.compressed.add(sha256);
  }
  const lines: string[] = [];
  const report = createReporter((line) => lines.push(line), true);
  const options = sessionOptions(folder, {
    environments: [],
    maxSteps: STEPS,
    publishEvery: STEPS,
    partialStepMs: 30_000,
    idleExitMs: 500,
    watch: { success: 1, readable: 1, falseAlarm: 0.001, drift: 10 },
    judge: {
      server: createJudgeServer({ baseUrl: judge.url, votes: 1, timeoutMs: 5000 }),
      readsMessages: false,
      requestTrials: 0,
      readOnlyTools: new Set(),
      comparedRequests: compares ? HELD_OUT : 0,
    },
  });
  await trainFromEdge(
    model,
    edge.client(),
    recipe,
    options,
    {
      ...report,
      note(event, details) {
        report.note(event, details);
        if (event === "releasing") edge.endRelease("stable");
      },
    },
    new AbortController().signal,
  );
  const events = lines.map((line) => JSON.parse(line) as { readonly [name: string]: unknown });
  const [evaluated] = events.filter(({ event }) => event === "evaluated");
  const [compared] = events.filter(({ event }) => event === "compared-requests");
  return { edge, folder, evaluated, compared, asked: judge.asked };
}

test("a candidate that learned what people want is better at requests that it did not learn from, and is promoted", async () => {
  const { edge, folder, evaluated, compared, asked } = await trained({});
  expect(evaluated).toMatchObject({ verdict: "promote", tasks: 0 });
  const { better = 0, worse = 0 } = compared as { better?: number; worse?: number };
  expect(better).toBeGreaterThan(worse);
  expect(edge).toMatchObject({ stable: 1, canary: 1 });
  expect(edge.policies[1]?.evaluation?.comparison).toMatchObject({ requests: HELD_OUT, better });
  expect(asked.length).toBeGreaterThan(0);
  // The state names the requests and has nothing of them.
  const { state } = (await openTrainerCheckpoints(folder).load()) ?? {};
  const digests = unrated.map(({ leased }) => leased.digest);
  expect(state?.heldOut?.toSorted()).toEqual(digests.toSorted());
  expect(JSON.stringify(state)).not.toContain("tokenIds");
});

test("a candidate that learned wrong levers is worse, is rolled back before anybody gets it, and goes to no release", async () => {
  const { edge, evaluated } = await trained({ isUp: isWrongLever, hasRelease: true });
  expect(evaluated).toMatchObject({ verdict: "roll-back" });
  expect(evaluated?.["reason"]).toMatch(/its answers were better at \d+ and worse at \d+ of \d+/);
  expect(edge).toMatchObject({ stable: 0, canary: 0, release: null });
  expect(edge.policies.slice(1).map(({ status }) => status)).toEqual(["rolled-back"]);
});

// The readable candidate of the test without a judge goes to a release under `npm test`.
test.runIf(isLong())(
  "a better candidate still goes to the release, where people decide",
  async () => {
    const { edge, evaluated } = await trained({ hasRelease: true });
    expect(evaluated).toMatchObject({ verdict: "promote" });
    expect(edge.stable).toBe(1);
  },
);

/** Equal answers are equal without a question. No other pair has a verdict. */
const NO_VERDICTS = /^the answers to \d+ requests were compared|^the judge preferred neither/;

/** Of four replies, which are two requests in both orders, three prefer the first answer. */
const coin = (_: string, number: number): string =>
  JSON.stringify({ grades: number % 4 === 3 ? [0, 10] : [10, 0] });

test.for<[string, Session, RegExp]>([
  ["tosses a coin", { reply: coin }, /both orders at \d+ requests and another one at \d+/],
  ["always prefers the first answer", { reply: () => '{"grades":[10,0]}' }, /both orders at 0/],
  ["gives every answer the best grade", { reply: () => '{"grades":[10,10]}' }, /preferred neither/],
  ["answers in prose", { reply: () => "The first is better." }, NO_VERDICTS],
  ["is broken", { reply: () => 400 }, NO_VERDICTS],
])("a bad candidate is not published if the judge %s", async ([how, session, why], context) => {
  skipOutside(how.startsWith("tosses") || how.startsWith("is broken"), context);
  const { edge, evaluated } = await trained({
    ...session,
    isUp: isWrongLever,
    hasRelease: true,
  });
  expect(evaluated).toMatchObject({ verdict: "undecided" });
  expect(evaluated?.["reason"]).toMatch(why);
  expect(edge.policies).toHaveLength(1);
});

test("without a judge, a candidate whose answers cannot be read goes to no release; a readable one does", async () => {
  // These people like every wrong answer, also a broken one, so the candidate learns to break answers.
  const isUp = ({ isWanted }: LiveRequest): boolean => !isWanted;
  const broken = await trained({ isUp, hasRelease: true, compares: false });
  expect(broken.evaluated).toMatchObject({ verdict: "roll-back" });
  expect(broken.evaluated?.["reason"]).toMatch(/^its answers to \d+ of 32 requests could be read/);
  expect(broken.edge).toMatchObject({ stable: 0, canary: 0, release: null });
  const readable = await trained({ hasRelease: true, compares: false });
  expect(readable.evaluated).toMatchObject({ verdict: "promote" });
  expect(readable.edge.policies[1]?.evaluation).toEqual({
    tasks: 0,
    successes: 0,
    comparedWith: 0,
  });
  expect(readable.asked).toHaveLength(0);
});

test("with too few requests the judge is not asked, and nothing is published", async () => {
  const { edge, evaluated, asked } = await trained({ open: unrated.slice(0, 63) });
  expect(evaluated).toMatchObject({ verdict: "undecided" });
  expect(evaluated?.["reason"]).toMatch(/^63 requests of visitors can be compared so far/);
  expect(edge.policies).toHaveLength(1);
  expect(asked).toHaveLength(0);
});
