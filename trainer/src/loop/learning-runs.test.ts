/**
 * Demonstrations followed by rewards, on a real engine with a real sampler. Success rises above a
 * threshold, and the sampled policy stays the trained one. Held-out tasks are never trained on.
 *
 * Source: the end-to-end tests of prime-rl (reward above a threshold and mismatch KL below 0.01).
 */
import { environmentNamed } from "@waggle/environments";
import { recipe, rewardStage, tokenStage } from "@waggle/learning";
import * as parts from "@waggle/learning/parts";
import type { AdaptivePolicy } from "@waggle/runtime/node";
import { beforeAll, expect, test } from "vitest";
import { skipOutside } from "../../../test/fixtures/long.ts";
import type { BaseModel } from "../model/base-model.ts";
import { openEngine, openPolicy } from "../model/open-model.ts";
import { banditBase } from "../pretrain/bandit-base.fixture.ts";
import { runRecipe } from "./recipe-run.ts";
import type { HeldOut } from "../evaluation/held-out.ts";
import type { RunEvent } from "../metrics/run-event.ts";

/** Nats per token. */
const MOST_MISMATCH = 0.01;
const SHAPE = { rank: 8, alpha: 16 };
const RL_STEPS = 16;

const twoStages = recipe({
  name: "demonstrations-then-rewards",
  literature: "ARTIST",
  differs: ["made for this test: demonstrations, then group advantages"],
  schedule: ["sft-rl"],
  settings: {},
  stages: () => [
    tokenStage({
      name: "sft",
      rollout: parts.demos(0.3),
      losses: [parts.crossEntropy()],
      steps: 6,
      settings: { tasksPerStep: 16, learningRate: 1e-3 },
    }),
    rewardStage({
      name: "rl",
      rollout: parts.group(6),
      reward: parts.outcome(),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip()],
      steps: RL_STEPS,
      settings: { tasksPerStep: 6, learningRate: 2e-3 },
    }),
  ],
});

let base: BaseModel;
beforeAll(async () => {
  base = await banditBase();
});

async function learned(seed: number, disturb: (policy: AdaptivePolicy) => void = () => {}) {
  const engine = await openEngine(base, "cpu", { ...SHAPE, seed }, { threads: 1 });
  const policy = await openPolicy(base, 1);
  disturb(policy);
  const events: RunEvent[] = [];
  try {
    await runRecipe(
      twoStages(),
      {
        engine,
        policy,
        format: base.format,
        resources: {},
        spec: environmentNamed("bandit"),
        adapterShape: SHAPE,
      },
      { seed, evaluationTasks: 120, evaluateEvery: 0 },
      (event) => events.push(event),
      new AbortController().signal,
    );
  } finally {
    await engine.dispose();
    await policy.dispose();
  }
  const success = ({ successes }: HeldOut): number =>
    successes.filter(Boolean).length / successes.length;
  const [before = 0, between = 0, after = 0] = events.flatMap((event) =>
    event.event === "evaluated" ? [success(event.heldOut)] : [],
  );
  const mismatches = events.flatMap((event) =>
    event.event === "step" ? (event.metrics["mismatchK3"] ?? []) : [],
  );
  return { before, between, after, mismatches };
}

test.for([1, 2])(
  "seed %i: demonstrations help, rewards help more, and sampler and trainer agree",
  async (seed, context) => {
    skipOutside(seed === 1, context);
    const { before, between, after, mismatches } = await learned(seed);
    expect(before).toBeLessThan(0.75);
    expect(between).toBeGreaterThan(before);
    expect(after).toBeGreaterThan(between);
    expect(after).toBeGreaterThan(0.8);
    expect(mismatches).toHaveLength(RL_STEPS);
    expect(Math.max(...mismatches)).toBeLessThan(MOST_MISMATCH);
  },
);

test("control: records that differ from the samples exceed the bound", async () => {
  const { mismatches } = await learned(1, (policy) => {
    const createContext = policy.createContext.bind(policy);
    policy.createContext = async () => {
      const context = await createContext();
      const generate = context.generate.bind(context);
      context.generate = async (options) => {
        const sample = await generate(options);
        // As if sampled at half the temperature.
        return { ...sample, behaviorLogProbs: sample.behaviorLogProbs.map((value) => 2 * value) };
      };
      return context;
    };
  });
  expect(Math.max(...mismatches)).toBeGreaterThan(MOST_MISMATCH);
});
