/**
 * Rollouts sampled over HTTP from a real server with the run's model behind vLLM's wire format.
 * Training gives the same results as in this process; a server outage loses rollouts but fails none.
 */
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  ForwardingContext,
  forwardingPolicy,
} from "../../../packages/agent/src/forwarding-policy.ts";
import { environmentNamed, withReward } from "@waggle/environments";
import { recipeNamed } from "@waggle/learning";
import type { GenerateOptions, Sample } from "@waggle/protocol";
import { createCompletionsHandler } from "@waggle/runtime/openai-http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type LocalServer, localServer } from "../../../test/fixtures/local-server.ts";
import { sampleSize } from "../../../test/fixtures/long.ts";
import { withFewerTasks } from "../loop/short-run.fixture.ts";
import { runRecipe } from "../loop/recipe-run.ts";
import type { RunEvent } from "../metrics/run-event.ts";
import type { RunParts } from "../loop/run-options.ts";
import { checkedSampler } from "../options/sampler-options.ts";
import { banditBase } from "../pretrain/bandit-base.fixture.ts";
import { openRecipeEngines } from "../loop/recipe-engines.ts";
import { requireServable, withSamplerCorrection } from "../recipes/servable-recipe.ts";
import { readAdapterFolder } from "./adapter-folder.ts";
import { adapterOf } from "../update/adapter-tensors.ts";
import type { BaseModel } from "./base-model.ts";
import { openPolicy } from "./open-model.ts";
import { openServedSampler } from "./served-sampler.ts";

const { signal } = new AbortController();
const shape = { rank: 4, alpha: 8 };
const spec = environmentNamed("bandit");
let model: BaseModel;
let folder: string;
let server: LocalServer;
/** Called before each request: true = the server breaks the connection. */
let isAway: (nth: number) => boolean = () => false;
let requests = 0;
let refused = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "waggle-sampler-"));
  model = await banditBase();
  const policy = await openPolicy(model, 1);
  const handle = createCompletionsHandler(policy, {
    model: "bandit",
    readAdapter: async (path) => (await readAdapterFolder(path, model.config)).adapter,
  });
  server = await localServer(async (request) => {
    if (!request.url.endsWith("/completions")) return handle(request);
    requests += 1;
    if (!isAway(requests)) return handle(request);
    refused += 1;
    return new Response("away", { status: 503 });
  });
}, 120_000);
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

const served = () =>
  openServedSampler(model, { url: server.origin, folder, retries: 0, sleep: async () => {} });

async function run(
  policy: RunParts["policy"],
  { steps, tasks = 6, of = spec }: { steps: number; tasks?: number; of?: typeof spec },
) {
  const whole = withSamplerCorrection(recipeNamed("grpo")(), 2);
  const recipe = { ...whole, stages: whole.stages.map((stage) => withFewerTasks(stage, tasks)) };
  const engines = await openRecipeEngines(
    recipe,
    model,
    "cpu",
    { ...shape, seed: 1 },
    { threads: 1 },
  );
  const events: RunEvent[] = [];
  try {
    const result = await runRecipe(
      recipe,
      { ...engines, policy, format: model.format, spec: of, adapterShape: shape },
      { seed: 5, evaluationTasks: 60, evaluateEvery: 0, steps },
      (event) => events.push(event),
      signal,
    );
    const parameters = adapterOf(await engines.engine.parameters());
    const metrics = events.flatMap((event) => (event.event === "step" ? [event.metrics] : []));
    return { ...result, parameters, metrics };
  } finally {
    await engines.dispose();
    await policy.dispose();
  }
}

/** The numbers of another model. */
class LyingContext extends ForwardingContext {
  override async generate(options: GenerateOptions): Promise<Sample> {
    const sample = await super.generate(options);
    return { ...sample, behaviorLogProbs: sample.behaviorLogProbs.map((value) => value - 0.5) };
  }
}

const rate = (successes: readonly boolean[]): number =>
  successes.filter(Boolean).length / successes.length;

test("the server's log-probs equal the engine's to 1e-4, with a trained adapter", async () => {
  const recipe = recipeNamed("grpo")();
  const engines = await openRecipeEngines(
    recipe,
    model,
    "cpu",
    { ...shape, seed: 2 },
    { threads: 1 },
  );
  const policy = await served();
  const parameters = await engines.engine.parameters();
  const moved = new Map(parameters);
  for (const [name, tensor] of parameters) {
    const data = tensor.data.map((_, i) => 0.3 * Math.sin(i * 12.9898));
    if (name.includes("lora_B")) moved.set(name, { ...tensor, data });
  }
  const saved = await engines.engine.save();
  const tensors = new Map(saved.tensors);
  for (const [name, tensor] of moved) tensors.set(`parameters/${name}`, tensor);
  await engines.engine.load({ ...saved, tensors });
  const { agreement, message } = await checkedSampler(policy, engines.engine, shape, {
    spec,
    format: model.format,
  });
  expect(agreement.tokens).toBeGreaterThan(4);
  expect(agreement.gapMost).toBeLessThanOrEqual(1e-4);
  expect(message).toMatch(/log-probs of \d+ tokens differ by/);
  await policy.dispose();
  await engines.dispose();
}, 60_000);

test("a run on the server gives the same results as a run in this process", async () => {
  const there = await run(await served(), { steps: 2 });
  const here = await run(await openPolicy(model, 1), { steps: 2 });
  expect(there.metrics.map(({ successRate }) => successRate)).toEqual(
    here.metrics.map(({ successRate }) => successRate),
  );
  for (const [name, { data }] of here.parameters) {
    const other = there.parameters.get(name)?.data ?? [];
    const gap = Math.max(...data.map((value, i) => Math.abs(value - (other[i] ?? Number.NaN))));
    expect(gap).toBeLessThanOrEqual(1e-4);
  }
  expect(await readdir(folder)).not.toEqual([]);
}, 120_000);

test("the policy improves over HTTP, but not with uninformative rewards", async () => {
  const learned = await run(await served(), { steps: 14, tasks: 12 });
  const blind = withReward(spec, "blind", ({ task }) => ({
    reward: task.seed % 2,
    success: false,
  }));
  const control = await run(await served(), { steps: sampleSize(4, 14), tasks: 12, of: blind });
  const gain = rate(learned.final.successes) - rate(learned.base.successes);
  expect(gain).toBeGreaterThan(0.15);
  expect(control.metrics.every(({ gradientNorm = 0 }) => gradientNorm < 1e-6)).toBe(true);
}, 240_000);

test("rollouts that the server loses are left out, not rewarded with 0", async () => {
  const start = requests;
  refused = 0;
  // Requests for the evaluation before the first step all succeed; then one in nine fails.
  isAway = (nth) => nth - start > 60 && nth - start < 200 && nth % 9 === 0;
  const { metrics } = await run(await served(), { steps: 2, tasks: 12 }).finally(() => {
    isAway = () => false;
  });
  const lost = metrics.reduce((sum, { lostRollouts = 0 }) => sum + lostRollouts, 0);
  expect(refused).toBeGreaterThan(5);
  expect(lost).toBe(refused);
  // A lost rollout that counted as a failure would show here.
  for (const { successRate = 0 } of metrics) expect(successRate).toBeGreaterThan(0.5);
}, 120_000);

test("a server that stays unreachable ends the run with the reason", async () => {
  const start = requests;
  isAway = (nth) => nth - start > 60;
  const ended = run(await served(), { steps: 2 }).finally(() => {
    isAway = () => false;
  });
  await expect(ended).rejects.toMatchObject({ code: "NETWORK", retryable: true });
}, 120_000);

test("a server with another model is detected before the first step", async () => {
  const engines = await openRecipeEngines(
    recipeNamed("grpo")(),
    model,
    "cpu",
    { ...shape, seed: 2 },
    { threads: 1 },
  );
  const policy = await served();
  const lying = forwardingPolicy(policy, {
    createContext: async () => new LyingContext(await policy.createContext()),
  });
  await expect(
    checkedSampler(lying, engines.engine, shape, { spec, format: model.format }),
  ).rejects.toThrow(/differ from this machine's by 0\.5/);
  await policy.dispose();
  await engines.dispose();
}, 60_000);

test("recipes with unsupported sampling are refused with the reason, and corrections are not applied twice", () => {
  expect(() => requireServable(recipeNamed("arpo")())).toThrow(
    /part branch-entropy reads the entropy/,
  );
  expect(() => requireServable(recipeNamed("evolution-strategies")())).toThrow(
    /cannot sample on a server/,
  );
  expect(() => requireServable(recipeNamed("grpo")())).not.toThrow();
  const names = (name: string): string[] =>
    withSamplerCorrection(recipeNamed(name)(), 2).stages.flatMap(({ losses }) =>
      losses.map(({ loss }) => loss.part),
    );
  expect(names("grpo")).toContain("tis");
  const plain = recipeNamed("grpo")();
  expect(withSamplerCorrection(plain, 0)).toBe(plain);
});
