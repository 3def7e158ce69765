/**
 * Agentic VRPO: demonstrations first, then preferences whose log-probs are estimated from drawn tokens,
 * with one draw for policy and reference so that its noise cancels.
 *
 * Source: "DLLM-Searcher: Adapting Diffusion Large Language Model for Search Agents" (S129); Zhu et al.
 * 2025, "LLaDA 1.5", arXiv:2505.19223.
 * Differs from it: the model is not a diffusion model, so the draw leaves out what it could know.
 * Why: runtime and engine sample token by token.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { pairStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";

export const agenticVrpo: CreateRecipe = recipe({
  name: "agentic-vrpo",
  literature: "Agentic VRPO",
  differs: ["the model is not a diffusion model, so the draw leaves out what it could know"],
  schedule: ["sft-pref"],
  settings: {
    ...{ attempts: 4, draws: 8, beta: 0.1, margin: 0.5 },
    ...{ startSteps: 5, steps: 25, learningRate: 3e-3 },
  },
  stages: ({ attempts, draws, beta, margin, startSteps, steps, learningRate }) => [
    demonstrationStart({ steps: startSteps, learningRate }),
    pairStage({
      rollout: parts.single(attempts),
      filters: [parts.pairGap(margin)],
      reward: parts.preference(),
      losses: [parts.vrpo(beta, draws)],
      state: { ref: parts.reference },
      steps,
      settings: { tasksPerStep: 24, learningRate },
    }),
  ],
});
