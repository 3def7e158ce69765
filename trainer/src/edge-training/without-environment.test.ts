/** A site without an environment: people rate answers, the trainer learns from it, and visitors of a release decide. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { constantRate } from "@waggle/learning";
import type { LeasedGroup } from "@waggle/protocol";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { isLong } from "../../../test/fixtures/long.ts";
import { FakeEdge } from "../edge/fake-edge.fixture.ts";
import { createReporter } from "../metrics/reporter.ts";
import type { BaseModel } from "../model/base-model.ts";
import { banditBase } from "../pretrain/bandit-base.fixture.ts";
import { edgeRecipeNamed } from "../recipes/edge-recipe.ts";
import { comparison, evaluateVersions } from "../sink/version-comparison.ts";
import { type LiveRequest, liveRequests, withThumbs } from "./live-requests.fixture.ts";
import { sessionOptions } from "./session-options.fixture.ts";
import { trainFromEdge } from "./training-session.ts";

const REQUESTS = 160;
const STEPS = 10;
const recipe = edgeRecipeNamed("thumbs-reinforce", {
  groupsPerStep: REQUESTS / STEPS,
  learningRate: constantRate(0.006),
});

let model: BaseModel;
let requests: LiveRequest[];
beforeAll(async () => {
  model = await banditBase();
  requests = await liveRequests(model, recipe.stage.settings.sampling, REQUESTS);
}, 600_000);

/** Everybody presses a thumb. */
const rated = (isUp: Parameters<typeof withThumbs>[1]): LeasedGroup[] => withThumbs(requests, isUp);

type Session = {
  readonly hasRelease?: boolean;
  /** What visitors of each release decide. */
  readonly decide?: "stable" | "rolled-back";
};

async function trained(
  groups: readonly LeasedGroup[],
  { hasRelease = true, decide = "stable" }: Session = {},
) {
  const folder = await mkdtemp(join(tmpdir(), "waggle-without-environment-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const edge = new FakeEdge(groups, model.reference.sha256);
  edge.control = {
    ...edge.control,
    environment: "",
    feedbackWaitSeconds: 60,
    feedbackFrom: ["thumb"],
  };
  edge.gate = { ...edge.gate, hasEnvironment: false, hasRelease };
  edge.firstShare = 0.1;
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
        if (event === "releasing") edge.endRelease(decide);
      },
    },
    new AbortController().signal,
  );
  const outcomes = [...edge.acknowledged.values()].map(([outcome]) => outcome);
  return { edge, folder, outcomes, lines };
}

/** Success of the base and of the only candidate at held-out tasks, which the trainer never sees. */
async function successes(edge: FakeEdge, stateFolder: string): Promise<number[]> {
  const results = await evaluateVersions(
    model,
    { versions: [0, 1], threads: 1 },
    { environment: "bandit", start: 2_000_000, count: 120, seed: 1 },
    { stateFolder, edge: () => edge.client() },
    new AbortController().signal,
  );
  return comparison(results, []).versions.map(({ success }) => success);
}

test("a trainer learns from thumbs, publishes to a release, and goes on from what visitors chose", async () => {
  const { edge, folder, outcomes } = await trained(rated(({ isWanted }) => isWanted));
  const learned = outcomes.filter((outcome) => outcome?.status === "learned");
  expect(learned.length).toBeGreaterThan(REQUESTS / 2);
  expect(edge).toMatchObject({ stable: 1, canary: 1 });
  const evaluation = { tasks: 0, successes: 0, comparedWith: 0 };
  expect(edge.policies.slice(1)).toMatchObject([{ version: 1, status: "stable", evaluation }]);
  const [before = 1, after = 0] = await successes(edge, folder);
  expect(after - before).toBeGreaterThan(0.08);
});

// Under `npm test`, released-candidates.test.ts goes back to the stable version after a roll-back.
test.runIf(isLong())(
  "a candidate that visitors refuse is rolled back, and nothing stays of it",
  async () => {
    const { edge } = await trained(
      rated(({ isWanted }) => isWanted),
      { decide: "rolled-back" },
    );
    expect(edge).toMatchObject({ stable: 0, canary: 0 });
    expect(edge.policies[1]?.status).toBe("rolled-back");
  },
);

test("thumbs at random teach far less", async () => {
  const { edge, folder } = await trained(rated((_, index) => (index * 7919) % 160 < 80));
  const [before = 1, after = 0] = await successes(edge, folder);
  expect(after - before).toBeLessThan(0.05);
});

test("without a release, it says what is missing and learns nothing", async () => {
  const groups = rated(() => true);
  await expect(trained(groups, { hasRelease: false })).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
    message: expect.stringMatching(/no environment.* learns nothing.* set gate\.release/),
  });
});
