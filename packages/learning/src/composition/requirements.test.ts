import { type EngineCapabilities, WaggleError } from "@waggle/protocol";
import { expect, test } from "vitest";
import { groupAdvantage } from "../advantages/group-advantages.ts";
import { optimalTokenBaseline } from "../advantages/optimal-token-baseline.ts";
import { pgClip } from "../losses/policy/clipped-surrogate.ts";
import { entropyBonus } from "../losses/policy/entropy-bonus.ts";
import { outcome } from "../rewards/outcome.ts";
import { group } from "../rollouts/plain-rollouts.ts";
import { requireCapabilities } from "./requirements.ts";
import { rewardStage, type Stage } from "./stage.ts";

const ENGINE: EngineCapabilities = {
  outputs: ["logProb"],
  derivatives: ["logProb"],
  sequences: [],
  trains: "lora",
  reads: [],
  fixedOptimizer: { maxGradientNorm: 1 },
  device: "remote",
};

const STAGE: Stage = rewardStage({
  rollout: group(),
  reward: outcome(),
  advantage: groupAdvantage(),
  losses: [pgClip()],
});

/** The capability that the error names as missing; `null` if the engine is accepted. */
function lacking(stage: Stage): string | null {
  try {
    requireCapabilities("mine", [STAGE, stage], ENGINE);
    return null;
  } catch (error) {
    if (!(error instanceof WaggleError) || error.code !== "CAPABILITY_MISSING") throw error;
    return /recipe mine needs .* provide: (.*?)\. Use an engine/.exec(error.message)?.[1] ?? "";
  }
}

const sampling = (change: object): Stage => ({
  ...STAGE,
  settings: { ...STAGE.settings, sampling: { ...STAGE.settings.sampling, ...change } },
});

const optimizer = (change: object): Stage => ({
  ...STAGE,
  optimizer: { ...STAGE.optimizer, ...change },
});

test("a remote engine serves stages that need log-probs, full support and its optimizer", () => {
  expect(lacking(STAGE)).toBe(null);
});

test.each([
  ["derivatives of entropy", { ...STAGE, losses: [{ loss: entropyBonus(0.01), weight: 1 }] }],
  ["output sumSquaredProb", { ...STAGE, advantage: optimalTokenBaseline() }],
  ["temperatures", sampling({ temperature: 0.7 })],
  ["keptTokenIds", sampling({ topK: 20 })],
  ["maxGradientNorm 0.5 (its server was started with 1)", optimizer({ maxGradientNorm: 0.5 })],
  ["beta2 0.999 (its server was started with 0.95)", optimizer({ beta2: 0.999 })],
])("a stage is refused for want of %s", (what, stage) => {
  expect(lacking(stage)).toBe(what);
});
