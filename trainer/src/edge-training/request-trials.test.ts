/** Requests of visitors that nobody rated: a trainer tries them again, and a judge on a real HTTP server ranks the trials. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { judgedRollout } from "@waggle/agent/environments";
import { constantRate } from "@waggle/learning";
import { environmentNamed } from "@waggle/environments";
import { type LeasedGroup, trajectoryDigest } from "@waggle/protocol";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { FakeEdge } from "../edge/fake-edge.fixture.ts";
import { createJudgeServer } from "../judge/judge-server.ts";
import { scriptedJudge } from "../judge/scripted-judge.fixture.ts";
import { createReporter } from "../metrics/reporter.ts";
import type { BaseModel } from "../model/base-model.ts";
import { openPolicy } from "../model/open-model.ts";
import { banditBase } from "../pretrain/bandit-base.fixture.ts";
import { edgeRecipeNamed } from "../recipes/edge-recipe.ts";
import { comparison, evaluateVersions } from "../sink/version-comparison.ts";
import { sessionOptions } from "./session-options.fixture.ts";
import { trainFromEdge } from "./training-session.ts";

const recipe = edgeRecipeNamed("dr-grpo-tis", {
  groupsPerStep: 8,
  learningRate: constantRate(0.006),
});
const { signal } = new AbortController();
const TRIALS = 4;
const STEPS = 5;

let model: BaseModel;
let requests: LeasedGroup[];
beforeAll(async () => {
  model = await banditBase();
  requests = await liveRequests(80);
}, 600_000);

/** What visitors asked, without a task: the trainer cannot know which lever they wanted. */
async function liveRequests(count: number): Promise<LeasedGroup[]> {
  const policy = await openPolicy(model, 1);
  const parts = { policy, format: model.format, sampling: recipe.stage.settings.sampling };
  const groups: LeasedGroup[] = [];
  for (let seed = 0; seed < count; seed += 1) {
    const task = environmentNamed("bandit").reference(seed, "train", 0);
    const { record } = await judgedRollout(parts, task, seed, signal);
    const visitorId = `00000000-0000-4000-8000-${String(seed).padStart(12, "0")}`;
    const receivedAt = "2026-01-01T00:00:00.000Z";
    // Trials are drawn from the digest, so it must not depend on the time of this run.
    const trajectory = {
      ...record,
      id: visitorId,
      startedAt: receivedAt,
      endedAt: receivedAt,
      task: null,
      assignmentId: null,
    };
    const digest = await trajectoryDigest(trajectory);
    const leased = { digest, visitorId, receivedAt, trajectory, feedback: [] };
    groups.push({ groupId: visitorId, task: null, size: 1, trajectories: [leased] });
  }
  await policy.dispose();
  return groups;
}

const BEST: { readonly [color: string]: string } = {
  red: "left",
  blue: "middle",
  green: "right",
  white: "left",
  black: "middle",
  pink: "right",
};

/** What a judge who knows what visitors want says of the trials in its order. */
function rightGrades(user: string): string {
  const [request = "", ...trials] = [...user.matchAll(/>>>\n([^]*?)\n<<<end/g)].map(
    ([, text = ""]) => text,
  );
  const wanted = BEST[request.split(" ")[0] ?? ""] ?? "nothing";
  return JSON.stringify({ grades: trials.map((text) => (text.includes(wanted) ? 10 : 0)) });
}

async function trained(
  reply: (user: string, number: number) => string | number,
  votes = 1,
  groups = requests,
) {
  const judge = await scriptedJudge(({ user }, number) => reply(user, number));
  const folder = await mkdtemp(join(tmpdir(), "waggle-trials-"));
  onTestFinished(async () => {
    await judge.close();
    await rm(folder, { recursive: true, force: true });
  });
  const edge = new FakeEdge(groups, model.reference.sha256);
  edge.control = { ...edge.control, environment: "bandit", feedbackFrom: ["judge"] };
  // The folder of the base is gone; the edge has its files.
  for (const { sha256 } of model.reference.files) {
    edge.objects.set(sha256, new Uint8Array());
    edge.compressed.add(sha256);
  }
  const [withdrawn] = requests[0]?.trajectories ?? [];
  edge.forgotten.add(withdrawn?.digest ?? "");
  const lines: string[] = [];
  const options = sessionOptions(folder, {
    tasks: { start: 1_000_000, count: 8, seed: 1 },
    // Whole steps only, so that the result does not depend on the speed of the machine.
    maxSteps: STEPS,
    partialStepMs: 30_000,
    idleExitMs: groups === requests ? 30_000 : 60,
    watch: { success: 1, readable: 1, falseAlarm: 0.001, drift: 10 },
    judge: {
      server: createJudgeServer({ baseUrl: judge.url, votes, timeoutMs: 5000 }),
      readsMessages: false,
      requestTrials: TRIALS,
      comparedRequests: 0,
      readOnlyTools: new Set(),
    },
  });
  const report = createReporter((line) => lines.push(line), true);
  await trainFromEdge(model, edge.client(), recipe, options, report, signal);
  const outcomes = [...edge.acknowledged.values()].map(([outcome]) => outcome);
  const counts = lines
    .map((line) => JSON.parse(line) as { readonly event: string; readonly requests?: number })
    .findLast(({ event }) => event === "request-trials");
  return { edge, folder, outcomes, counts, withdrawn, asked: judge.asked };
}

/** Success of the base and of the stable version on held-out tasks. */
async function successes(edge: FakeEdge, stateFolder: string): Promise<number[]> {
  const results = await evaluateVersions(
    model,
    { versions: [0, edge.stable], threads: 1 },
    { environment: "bandit", start: 2_000_000, count: 150, seed: 1 },
    { stateFolder, edge: () => edge.client() },
    signal,
  );
  return comparison(results, []).versions.map(({ success }) => success);
}

test("requests without feedback teach what the judge prefers, and a withdrawn one teaches nothing", async () => {
  const { edge, folder, outcomes, counts, withdrawn } = await trained(rightGrades);
  const [before = 1, after = 0] = await successes(edge, folder);
  expect(after - before).toBeGreaterThan(0.08);
  const { requests: tried = 0 } = counts ?? {};
  expect(counts).toMatchObject({ trials: TRIALS * tried, ended: 0, ranked: tried, failed: 0 });
  const learned = outcomes.filter((outcome) => outcome?.status === "learned");
  expect(learned).toHaveLength(8 * STEPS);
  expect(learned.every((outcome) => outcome?.step !== undefined)).toBe(true);
  const gone = outcomes.find((outcome) => outcome?.digest === withdrawn?.digest);
  expect(gone).toMatchObject({ status: "skipped", reason: "forgotten" });
  const left = outcomes.filter((outcome) => outcome?.status === "skipped" && outcome !== gone);
  expect(new Set(left.map((outcome) => outcome?.reason))).toEqual(new Set(["no-signal"]));
  const reports = [...edge.reports.values()].flatMap(({ learnedFrom }) => learnedFrom ?? []);
  const { prompts, signals, trajectories } = reports[0] ?? {};
  expect(signals).toMatchObject([{ signal: "judge:requests", trajectories }]);
  expect(prompts).toEqual([{ version: "request-trials-1", trajectories }]);
  expect(trajectories).toBe(8 * TRIALS);
});

test("grades at random teach far less", async () => {
  const random = (user: string, number: number): string => {
    const { grades } = JSON.parse(rightGrades(user)) as { readonly grades: readonly number[] };
    return JSON.stringify({
      grades: grades.map((_, i) => ((number * 7 + i * 5) % 11 > 5 ? 10 : 0)),
    });
  };
  const { edge, folder } = await trained(random);
  const [before = 1, after = 0] = await successes(edge, folder);
  expect(after - before).toBeLessThan(0.05);
});

test.each<[string, () => string | number, number, string]>([
  ["always prefers the first trial", () => '{"grades":[10,7,4,0]}', 5, "judge-abstained"],
  ["answers in prose", () => "The first is the best.", 1, "judge-abstained"],
  ["is broken", () => 400, 1, "judge-failed"],
  ["gives every trial the best grade", () => '{"grades":[10,10,10,10]}', 1, "no-signal"],
])("nothing is learned from a judge that %s", async (_, reply, votes, reason) => {
  const { edge, outcomes } = await trained(reply, votes, requests.slice(0, 9));
  expect(edge.policies).toHaveLength(1);
  expect(outcomes).toHaveLength(9);
  const reasons = new Set(outcomes.map((outcome) => outcome?.reason));
  reasons.delete("forgotten");
  expect(reasons).toEqual(new Set([reason]));
});
