/** Searches over teams and helpers. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { writingStage } from "../../composition/stage.ts";
import { backwardCriticism, chainEdits, chainPrompts } from "../../gradient-free/backward-texts.ts";
import * as parts from "../../parts.ts";
import { auxiliaries, ownFailures } from "../../gradient-free/auxiliaries.ts";

const LAYERS = ["drafter", "answerer"] as const;

/**
 * Agentic Neural Network: agents in layers, each reading the layers before it; criticism in text flows back through
 * the layers and rewrites their instructions.
 *
 * Source: Ma et al. 2025, "Agentic Neural Networks: Self-Evolving Multi-Agent Systems via Textual Backpropagation",
 * arXiv:2506.09046.
 * Differs from it: a layer is one role, and the set of roles is fixed; one joint rollout per step is criticized,
 * without momentum.
 * Why: one criticism per step bounds the number of requests to the writer.
 */
const agenticNeuralNetwork: CreateRecipe = recipe({
  name: "agentic-neural-network",
  literature: "Agentic Neural Network",
  differs: [
    "a layer is one role, and the set of roles is fixed",
    "one joint rollout per step is criticized, without momentum",
  ],
  mechanism: "partial",
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

/**
 * FAMA: counts the kinds of failures, and the counts decide which helpers are turned on.
 *
 * Source: "FAMA: Failure-Aware Meta-Agentic Framework for Open-Source LLMs in Interactive Tool Use Environments".
 * Differs from it: a helper is a sentence of the instruction, not an agent; the kind of a failure follows from the
 * record, not from a model.
 * Why: a sentence changes the behavior of one policy without a second context.
 */
const fama: CreateRecipe = recipe({
  name: "fama",
  literature: "FAMA",
  differs: [
    "a helper is a sentence of the instruction, not an agent",
    "the kind of a failure follows from the record, not from a model",
  ],
  mechanism: "partial",
  schedule: ["one"],
  settings: { share: 0.2, tasks: 32, steps: 4 },
  stages: ({ share, tasks, steps }) => [
    writingStage({
      rollout: parts.single(),
      filters: [ownFailures()],
      reward: parts.outcome(),
      how: auxiliaries(share),
      state: { prompts: parts.prompts([""]) },
      steps,
      settings: { tasksPerStep: tasks },
    }),
  ],
});

export const AGENT_RECIPES: readonly CreateRecipe[] = [agenticNeuralNetwork, fama];
