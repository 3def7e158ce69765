/**
 * AIDSAFE: clean demonstrations first, then pairs that differ clearly.
 *
 * Source: "Towards Safety Reasoning in LLMs: AI-agentic Deliberation for Policy-embedded CoT Data
 * Creation" (S334).
 * Differs from it: what is preferred is a better outcome with fewer calls, not safer reasoning;
 * pairs are the policy's own rollouts.
 * Why: no environment holds harmful requests, so safety cannot be measured; outcome and calls can.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { pairStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";

export const aidsafe: CreateRecipe = recipe({
  name: "aidsafe",
  literature: "AIDSAFE",
  differs: [
    "what is preferred is a better outcome with fewer calls, not safer reasoning",
    "pairs are the policy's own attempts",
  ],
  schedule: ["sft-pref"],
  settings: { groupSize: 4, beta: 0.1, margin: 0.5, startSteps: 5, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, beta, margin, startSteps, steps, learningRate }) => [
    demonstrationStart({
      steps: startSteps,
      learningRate,
      mistakes: 0.3,
      filters: [parts.clean()],
    }),
    pairStage({
      rollout: parts.group(groupSize),
      filters: [parts.pairGap(margin)],
      reward: parts.preference(),
      losses: [parts.dpo(beta)],
      state: { ref: parts.reference },
      steps,
      settings: { tasksPerStep: 24, learningRate },
    }),
  ],
});
