/**
 * What learning from rewards alone costs, with real policies on the bandit. The figures are in
 * docs/evidence/rewards-only.md. WAGGLE_REWARD_COST names a file that gets a line for each run.
 */
import { appendFileSync } from "node:fs";
import { mean } from "@waggle/evaluation";
import { expect, test } from "vitest";
import { isLong } from "../../../test/fixtures/long.ts";
import { openPolicy } from "../model/open-model.ts";
import { banditBase } from "../pretrain/bandit-base.fixture.ts";
import { learnFromGradients, learnFromPages } from "./reward-cost.fixture.ts";

/** Seed 101 was used to choose the settings. */
const SEEDS = [1, 2];
const PAGES = {
  steps: 10,
  rewardsPerStep: 128,
  rank: 1,
  scale: 0.3,
  learningRate: 0.3,
  evaluationTasks: 200,
};

type Learn = (learner: Parameters<typeof learnFromPages>[0]) => ReturnType<typeof learnFromPages>;

const ARMS: { readonly [arm: string]: Learn } = {
  gradients: (learner) => learnFromGradients(learner, { steps: 13, evaluationTasks: 200 }),
  rewards: (learner) => learnFromPages(learner, { ...PAGES, shuffles: false }),
  "four times the rewards": (learner) =>
    learnFromPages(learner, { ...PAGES, steps: 40, shuffles: false }),
  "shuffled rewards": (learner) => learnFromPages(learner, { ...PAGES, shuffles: true }),
};

test.runIf(isLong())(
  "gradients learn more than rewards of as many and of four times as many rollouts, and shuffled rewards do not gain",
  async () => {
    const model = await banditBase();
    const policy = await openPolicy(model, 1, "native", "merge");
    const gains = new Map<string, number[]>();
    try {
      for (const seed of SEEDS) {
        for (const [arm, learn] of Object.entries(ARMS)) {
          const result = await learn({ model, policy, seed });
          gains.set(arm, [...(gains.get(arm) ?? []), result.final - result.base]);
          const file = process.env["WAGGLE_REWARD_COST"];
          if (file) appendFileSync(file, `${JSON.stringify({ arm, seed, ...result })}\n`);
        }
      }
    } finally {
      await policy.dispose();
    }
    const gain = (arm: string): number => mean(gains.get(arm) ?? []);
    expect(gain("gradients")).toBeGreaterThan(0.1);
    expect(gain("rewards")).toBeLessThan(gain("gradients"));
    expect(gain("four times the rewards")).toBeLessThan(gain("gradients"));
    expect(gain("shuffled rewards")).toBeLessThan(0.05);
  },
  3_600_000,
);
