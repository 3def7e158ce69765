/**
 * An environment of a user: a base model from its demonstrations, then rewards of its verifier. Success at held-out
 * tasks rises above a threshold. The control takes the same steps with a learning rate of 0. Under `npm test`,
 * `learning-runs.test.ts` trains on rewards of a verifier, and `commands/own-environment.test.ts` in a user's environment.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineEnvironment } from "@waggle/agent/define";
import { recipe, rewardStage } from "@waggle/learning";
import * as parts from "@waggle/learning/parts";
import { beforeAll, expect, test } from "vitest";
import { isLong } from "../../../test/fixtures/long.ts";
import type { HeldOut } from "../evaluation/held-out.ts";
import type { BaseModel } from "../model/base-model.ts";
import { openEngine, openPolicy } from "../model/open-model.ts";
import { ENVIRONMENT_BASE, environmentBase } from "../pretrain/environment-base.ts";
import { runRecipe } from "./recipe-run.ts";

const SHAPE = { rank: 8, alpha: 16 };
const SEEDS = [1, 2, 3];
const QUEUES = ["billing", "travel", "repair"] as const;
const TOPICS = {
  billing: ["invoice", "refund", "price", "card"],
  travel: ["train", "hotel", "flight", "ticket"],
  repair: ["screen", "battery", "cable", "wheel"],
};
const TIMES = ["today", "now", "soon", "again", "tonight", "monday", "friday", "later"];

/** Tickets to file in a queue by their topic. */
const TRIAGE = defineEnvironment({
  name: "triage",
  prompt: "You sort.",
  maxTurns: 3,
  maxTurnTokens: 32,
  tasks: ({ pick }) => {
    const queue = pick(QUEUES);
    const request = `${pick(TOPICS[queue])} ${pick(TIMES)}`;
    return { request, state: { queue: "" }, data: { queue } };
  },
  tools: {
    file: {
      description: "File it.",
      parameters: {
        type: "object",
        properties: { queue: { enum: QUEUES } },
        required: ["queue"],
        additionalProperties: false,
      },
      run: ({ queue }, state) => {
        state.queue = queue;
        return "ok";
      },
    },
  },
  verify: ({ state, data }) => state.queue === data.queue,
  demonstrate: ({ data }) => [["file", { queue: data.queue }], "Done."],
});

let base: BaseModel;
beforeAll(async () => {
  if (!isLong()) return;
  const folder = await mkdtemp(join(tmpdir(), "waggle-triage-"));
  const small = {
    ...ENVIRONMENT_BASE,
    steps: 300,
    batchSize: 24,
    width: 64,
    layers: 2,
    mistakes: 0.7,
  };
  const { signal } = new AbortController();
  try {
    base = await environmentBase(TRIAGE, join(folder, "base"), small, {
      onProgress: () => {},
      signal,
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}, 120_000);

/** Held-out success before and after 24 steps. */
async function learned(seed: number, learningRate: number) {
  const filing = recipe({
    name: "filing",
    literature: "ARTIST",
    differs: ["made for this test: group advantages only"],
    schedule: ["one"],
    settings: {},
    stages: () => [
      rewardStage({
        rollout: parts.group(6),
        reward: parts.outcome(),
        advantage: parts.groupAdvantage(),
        losses: [parts.pgClip()],
        steps: 24,
        settings: { tasksPerStep: 6, learningRate },
      }),
    ],
  });
  const engine = await openEngine(base, "cpu", { ...SHAPE, seed }, { threads: 1 });
  const policy = await openPolicy(base, 1);
  try {
    const { base: before, final } = await runRecipe(
      filing(),
      {
        engine,
        policy,
        format: base.format,
        resources: {},
        spec: TRIAGE,
        adapterShape: SHAPE,
      },
      { seed, evaluationTasks: 120, evaluateEvery: 0 },
      () => {},
      new AbortController().signal,
    );
    return { before: success(before), after: success(final) };
  } finally {
    await engine.dispose();
    await policy.dispose();
  }
}

function success({ successes }: HeldOut): number {
  return successes.filter(Boolean).length / successes.length;
}

test.runIf(isLong()).each(SEEDS)(
  "seed %i: rewards of the verifier raise success at held-out tasks",
  async (seed) => {
    const { before, after } = await learned(seed, 4e-3);
    expect(before).toBeGreaterThan(0.6);
    expect(before).toBeLessThan(0.82);
    expect(after).toBeGreaterThan(0.84);
  },
  60_000,
);

test.runIf(isLong())(
  "control: without a learning rate, success stays what it was",
  async () => {
    const { before, after } = await learned(1, 0);
    expect(after).toBe(before);
  },
  60_000,
);
