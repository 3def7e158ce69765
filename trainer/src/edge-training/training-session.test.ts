import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SHOP } from "@waggle/demo/environment";
import { type LeasedGroup, WaggleError } from "@waggle/protocol";
import type { EdgeClient } from "../edge/edge-client.ts";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { fault } from "../../../test/fixtures/fault.ts";
import { isLong, sampleSize } from "../../../test/fixtures/long.ts";
import { edgeRecipeNamed } from "../recipes/edge-recipe.ts";
import { type BaseModel, readBaseModel } from "../model/base-model.ts";
import { modelUnder } from "../model/frozen-base.ts";
import { FakeEdge } from "../edge/fake-edge.fixture.ts";
import { playedGroups } from "../source/leased-groups.fixture.ts";
import { createReporter } from "../metrics/reporter.ts";
import { sessionOptions } from "./session-options.fixture.ts";
import { trainFromEdge } from "./training-session.ts";
import type { TrainingSessionOptions } from "./training-session-options.ts";
import { comparison, evaluateVersions } from "../sink/version-comparison.ts";

const MODEL = join(import.meta.dirname, "../../../packages/model/nano");
const recipe = edgeRecipeNamed("dr-grpo-tis", { groupsPerStep: 3 });

let model: BaseModel;
/** Rollouts of the base, as visitors upload them. */
let groups: LeasedGroup[];
beforeAll(async () => {
  model = await readBaseModel(MODEL);
  groups = await playedGroups(model, recipe, 10);
});

const optionsIn = (stateFolder: string): TrainingSessionOptions =>
  sessionOptions(stateFolder, {
    tasks: { start: 1_000_000, count: sampleSize(4, 12), seed: 1 },
    maxSteps: 1,
  });

test("trains on rollouts of the nano model, publishes a version, and continues in the next process", async () => {
  const folder = await mkdtemp(join(tmpdir(), "waggle-session-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const { signal } = new AbortController();

  const edge = new FakeEdge(groups, model.reference.sha256);
  const options = optionsIn(folder);
  const lines: string[] = [];
  const report = createReporter((line) => lines.push(line), true);
  const first = await trainFromEdge(model, edge.client(), recipe, options, report, signal);
  expect(first.stoppedBy).toBe("max-steps");
  expect(edge.stable).toBe(1);
  for (const { sha256 } of model.reference.files) expect(edge.objects.has(sha256)).toBe(true);

  const second = await trainFromEdge(
    model,
    edge.client(),
    recipe,
    { ...options, maxSteps: Infinity },
    report,
    signal,
  );
  const outcomes = [...edge.acknowledged.values()];
  expect(outcomes).toHaveLength(60);
  expect(outcomes.every((all) => all.length === 1)).toBe(true);
  const flat = outcomes.map(([outcome]) => outcome);
  expect(flat.filter((outcome) => outcome?.status === "rejected")).toEqual([]);
  expect(flat.filter((outcome) => outcome?.status === "learned").length).toBeGreaterThan(12);
  expect(second.twice).toBe(0);
  // Sampled and re-scored on the same machine; only batch shapes differ.
  expect(Math.max(...flat.map((outcome) => outcome?.logProbGapMax ?? 0))).toBeLessThan(1e-4);
  expect(edge.stable).toBe(second.state.publications);
  const rows = (await readFile(join(folder, "metrics.jsonl"), "utf8")).trim().split("\n");
  expect(rows).toHaveLength(second.state.step);

  // Without its state it resumes from the edge's record, and no step number repeats.
  const newest = Math.max(...edge.policies.map(({ step }) => step));
  const third = await trainFromEdge(
    model,
    edge.client(),
    recipe,
    { ...options, stateFolder: join(folder, "other"), maxSteps: newest },
    report,
    signal,
  );
  expect(third.state).toMatchObject({ step: newest, stableVersion: edge.stable });

  const results = await evaluateVersions(
    model,
    { versions: [0, edge.stable], threads: 1, environments: [SHOP] },
    { environment: "shop", start: 0, count: 8, seed: 1 },
    {
      stateFolder: folder,
      edge: () => {
        throw new Error("the adapter must come from the state folder");
      },
    },
    signal,
  );
  const isUnseen = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => i % 4 === 3);
  const { tasks, versions, unseenPatterns } = comparison(results, isUnseen);
  expect([tasks, versions.map(({ version }) => version)]).toEqual([8, [0, edge.stable]]);
  const judged = results.get(edge.stable)?.get(1) ?? [];
  expect(unseenPatterns?.tasks).toBe(2);
  expect(unseenPatterns?.versions.at(-1)).toEqual({
    version: edge.stable,
    success: (Number(judged[3]) + Number(judged[7])) / 2,
  });
  expect(lines.some((line) => line.includes('"event":"published"'))).toBe(true);
});

const elsewhere = "the edge assigns tasks of another environment than the shop";
const asShop = "asked shop tasks: `0 of 64, stable 0: promote`, 10 of 10 times";
fault(elsewhere, { item: "2.5", before: asShop }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "waggle-session-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const edge = new FakeEdge(groups.slice(0, 5), model.reference.sha256);
  edge.control.environment = "strings";
  const lines: string[] = [];
  const report = createReporter((line) => lines.push(line), false);
  const options = { ...optionsIn(folder), tasks: { start: 1_000_000, count: 4, seed: 1 } };
  const { signal } = new AbortController();
  const { state } = await trainFromEdge(model, edge.client(), recipe, options, report, signal);
  expect(lines.join("\n")).toContain(
    "0 of 4, stable version 0 0: no decision (neither version solved any task)",
  );
  expect(Object.keys(state.evaluations).join(" ")).toContain("/strings/heldOut/");
  expect([edge.stable, edge.policies.length]).toEqual([0, 1]);
  return {
    after: `no decision on tasks of strings; 0 versions published, ${state.step} step learned`,
    twice: edge.twice,
  };
});

test("a trainer that has begun waits for an edge that is away, and a new one says so at once", async () => {
  const folder = await mkdtemp(join(tmpdir(), "waggle-session-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const fake = new FakeEdge(groups.slice(0, 3), model.reference.sha256);
  const lines: string[] = [];
  const report = createReporter((line) => lines.push(line), false);
  /** Calls that fail from now on, and what happens at the last one. */
  let outage = { calls: 0, isRetryable: true, atEnd: () => {} };
  const fails = (calls: number, isRetryable = true, atEnd = () => {}): void => {
    outage = { calls, isRetryable, atEnd };
    lines.length = 0;
  };
  const client = fake.client();
  const edge = new Proxy(client, {
    get: (target, name: keyof EdgeClient) => {
      if (name === "sendHeartbeat" || outage.calls === 0) return target[name];
      return () => {
        outage.calls -= 1;
        if (outage.calls === 0) outage.atEnd();
        const { isRetryable: retryable } = outage;
        return Promise.reject(new WaggleError("NETWORK", "the edge is away", { retryable }));
      };
    },
  });
  const train = (changes: Partial<TrainingSessionOptions>, stop = new AbortController()) => {
    const options = { ...optionsIn(folder), idleExitMs: 60_000, ...changes };
    return trainFromEdge(model, edge, recipe, options, report, stop.signal);
  };
  const waits = () => lines.filter((line) => line.includes("the edge is away")).length;

  fails(1);
  await expect(train({})).rejects.toThrow("the edge is away");
  expect(waits()).toBe(0);
  expect((await train({})).state.step).toBe(1);

  // The files of the base are offered, then policies and settings are read.
  fails(3);
  expect((await train({})).stoppedBy).toBe("max-steps");
  expect(waits()).toBe(3);

  const stop = new AbortController();
  fails(3, true, () => stop.abort());
  const { stoppedBy, state } = await train({ maxSteps: 2 }, stop);
  expect([stoppedBy, state.step, waits()]).toEqual(["signal", 1, 2]);

  fails(1, false);
  await expect(train({})).rejects.toThrow("the edge is away");
  fails(Infinity);
  await expect(train({ idleExitMs: 0 })).rejects.toThrow("the edge is away");

  // A start without the state deletes it only once the edge has answered.
  fails(1);
  await expect(train({ isResuming: false })).rejects.toThrow("the edge is away");
  fails(0);
  expect((await train({})).state.step).toBe(1);
});

test("a recipe must learn from what the site collects", async () => {
  const folder = await mkdtemp(join(tmpdir(), "waggle-session-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const edge = new FakeEdge([], model.reference.sha256);
  const train = (name: string) =>
    trainFromEdge(
      model,
      edge.client(),
      edgeRecipeNamed(name),
      optionsIn(folder),
      createReporter(() => {}, true),
      new AbortController().signal,
    );
  edge.control.collect = "rewards";
  await expect(train("grpo")).rejects.toThrow("choose --recipe evolution-strategies");
  edge.control.collect = "full";
  await expect(train("evolution-strategies")).rejects.toThrow("choose another recipe");
  edge.control.collect = "statistics";
  expect((await train("grpo")).stoppedBy).toBe("idle");
});

// Under `npm test`, program.test.ts samples and trains over a quantized base.
test.runIf(isLong())(
  "a trainer over an int8 base trains on visitors' rollouts of the float32 model",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "waggle-session-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const quantized = await modelUnder("int8", "cpu", MODEL);
    const { signal } = new AbortController();
    const edge = new FakeEdge(await playedGroups(quantized, recipe, 5), quantized.reference.sha256);
    const report = createReporter(() => {}, true);
    const tasks = { start: 1_000_000, count: 4, seed: 1 };
    const options = { ...optionsIn(folder), base: "int8", tasks } as const;
    const { stoppedBy } = await trainFromEdge(
      quantized,
      edge.client(),
      recipe,
      options,
      report,
      signal,
    );
    expect([stoppedBy, edge.stable]).toEqual(["max-steps", 1]);
    const outcomes = [...edge.acknowledged.values()].flat();
    expect(outcomes.filter(({ status }) => status === "rejected")).toEqual([]);
    const [row = ""] = (await readFile(join(folder, "metrics.jsonl"), "utf8")).split("\n");
    const { metrics } = JSON.parse(row) as { metrics: { policyDriftMean: number } };
    // The engine computes with quantized weights, which shows as a small gap to the sampler.
    expect(metrics.policyDriftMean).toBeGreaterThan(1e-6);
    expect(metrics.policyDriftMean).toBeLessThan(0.01);
  },
);
