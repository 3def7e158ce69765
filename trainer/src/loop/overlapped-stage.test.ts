/** A stage that takes stub steps while a real policy continues to sample. */
import { swappingPolicy, type SwapPoint } from "@waggle/agent";
import { environmentNamed } from "@waggle/environments";
import { tokenVersions } from "@waggle/learning";
import type { JudgedGroup } from "@waggle/learning";
import * as parts from "@waggle/learning/parts";
import { type DecoderConfig, initializeAdapter, initializeDecoder } from "@waggle/model";
import { FULL_SUPPORT } from "@waggle/protocol";
import { createNodePolicy } from "@waggle/runtime/node";
import { expect, test } from "vitest";
import { FIRST_STEP } from "../rollouts/part-context.fixture.ts";
import { rolledOut } from "../rollouts/rollout-driver.ts";
import { trainEnvironmentText } from "../pretrain/environment-text.ts";
import { overlappedStage } from "./overlapped-stage.ts";

const BANDIT = environmentNamed("bandit");
const CONFIG: DecoderConfig = {
  modelType: "qwen3",
  vocabularySize: 320,
  width: 32,
  layers: 1,
  heads: 1,
  keyValueHeads: 1,
  headSize: 32,
  feedForwardSize: 32,
  ropeTheta: 10_000,
  rmsNormEpsilon: 1e-6,
  tiedEmbeddings: true,
  contextLength: 256,
  ropeScaling: null,
};
const SHAPE = { rank: 1, alpha: 1 };
const STEPS = 6;
const MOST_STALENESS = 2;

type Learned = {
  readonly step: number;
  readonly groups: readonly JudgedGroup[];
  readonly metrics: { readonly [name: string]: number };
};

async function run(swap: SwapPoint): Promise<Learned[]> {
  const { chat: format } = await trainEnvironmentText(BANDIT, {
    seed: 1,
    count: 60,
    vocabularySize: CONFIG.vocabularySize,
    contextLength: CONFIG.contextLength,
    mistakes: 0.3,
  });
  const policy = swappingPolicy(
    await createNodePolicy({
      config: CONFIG,
      weights: initializeDecoder(CONFIG, 1),
      baseModel: "1".repeat(64),
      threads: 1,
    }),
    swap,
  );
  const learned: Learned[] = [];
  const trained: Omit<Learned, "metrics">[] = [];
  let task = 0;
  await overlappedStage(
    {
      rollOut: async (signal) => {
        task += 1;
        const reference = BANDIT.reference(7 * task, "train", 0);
        const options = { sampling: FULL_SUPPORT, seed: task, staleness: 0 };
        const run = { policy, format, spec: BANDIT, signal };
        return rolledOut(parts.group(2).strategy(FIRST_STEP), [reference], [], run, options);
      },
      learn: async (groups, step) => {
        // A step takes some time, during which tokens are sampled.
        for (let i = 0; i < 30; i += 1) await new Promise((resolve) => setImmediate(resolve));
        const adapter = initializeAdapter(CONFIG, { ...SHAPE, seed: step });
        await policy.setAdapter(step + 1, adapter);
        trained.push({ step, groups });
        return {};
      },
      keep: async (metrics) => {
        learned.push({ ...(trained.pop() as Omit<Learned, "metrics">), metrics });
      },
      policyVersion: () => policy.currentVersion,
    },
    { steps: STEPS, tasksPerStep: 2 },
    { mostStaleness: MOST_STALENESS, mostRunning: 5, swap },
    new AbortController().signal,
  );
  await policy.dispose();
  return learned;
}

test.each(["never", "token"] as const)(
  "each step trains on whole groups within the staleness limit, swaps: %s",
  async (swap) => {
    const learned = await run(swap);
    expect(learned.map(({ step }) => step)).toEqual([0, 1, 2, 3, 4, 5]);
    for (const { step, groups } of learned) {
      expect(groups).toHaveLength(2);
      for (const { staleness, record: trajectory } of groups.flatMap(
        ({ trajectories }) => trajectories,
      )) {
        const ages = tokenVersions(trajectory).map((version) => step - version);
        expect(Math.max(...ages)).toBeLessThanOrEqual(staleness);
        expect(staleness).toBeLessThanOrEqual(MOST_STALENESS);
      }
    }
    const [oldest, mixed] = ["lagMost", "ofSeveralVersions"].map((name) =>
      learned.reduce((sum, { metrics }) => sum + (metrics[name] ?? 0), 0),
    );
    expect(oldest).toBeGreaterThan(0);
    expect((mixed ?? 0) > 0).toBe(swap === "token");
  },
);

test("only rollouts that the policy samples from the start of a task can overlap with a step", () => {
  expect(parts.group(4).strategy(FIRST_STEP).overlaps === true).toBe(true);
  expect(parts.demos().strategy(FIRST_STEP).overlaps === true).toBe(false);
  expect(parts.pivot(4).strategy(FIRST_STEP).overlaps === true).toBe(false);
});
