/**
 * Agentic Neural Network: agents in layers, each reading those before it; criticism in words goes back
 * through the layers and rewrites their instructions.
 *
 * Source: Ma et al. 2025, "Agentic Neural Networks: Self-Evolving Multi-Agent Systems via Textual
 * Backpropagation", arXiv:2506.09046.
 * Differs from it: a layer is one role, and which roles there are does not change; one joint rollout a step
 * is criticised, without momentum.
 * Why: one critique a step keeps the calls of the writer countable.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { writingStage } from "../composition/stage.ts";
import { backwardCriticism, chainEdits, chainPrompts } from "../parts/backward-texts.ts";
import * as parts from "../parts/index.ts";

const LAYERS = ["drafter", "answerer"] as const;

export const agenticNeuralNetwork: CreateRecipe = recipe({
  name: "agentic-neural-network",
  literature: "Agentic Neural Network",
  differs: [
    "a layer is one role, and which roles there are does not change",
    "one joint rollout a step is criticised, without momentum",
  ],
  schedule: ["rounds"],
  settings: { size: 2, tasks: 8, steps: 2, rounds: 6 },
  stages: ({ size, tasks, steps }) => [
    writingStage({
      rollout: parts.teamOf({ how: "relay", roles: LAYERS, size }),
      reward: parts.outcome(),
      credit: backwardCriticism(),
      how: chainEdits(),
      state: { prompts: chainPrompts(LAYERS) },
      steps,
      settings: { tasksPerStep: tasks },
    }),
  ],
});
