/** Imitation of stored trajectories, conditioned on their returns. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { rewardModelStage, tokenStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { observationLikeness } from "../../rewards/observation-likeness.ts";

/**
 * Agentic Transformer: imitates stored trajectories conditioned on their returns; at inference the policy is asked
 * for the best return.
 *
 * Source: Liu and Abbeel 2023, "Emergent Agentic Transformer from Chain of Hindsight Experience", arXiv:2305.16554.
 * Differs from it: each trajectory has its own context, instead of a chain that ends in the best one.
 * Why: a chain of rollouts does not fit into the context of a nano model.
 */
const agenticTransformer: CreateRecipe = recipe({
  name: "agentic-transformer",
  literature: "Agentic Transformer",
  differs: ["each trajectory has its own context, instead of a chain that ends in the best one"],
  mechanism: "partial",
  schedule: ["one"],
  settings: { trials: 4, steps: 25, learningRate: 3e-3 },
  stages: ({ trials, steps, learningRate }) => [
    tokenStage({
      rollout: parts.log(trials),
      reward: parts.outcome(),
      losses: [parts.returnConditioned()],
      steps,
      settings: { tasksPerStep: 32, learningRate },
    }),
  ],
});

/**
 * ARP: imitates stored trajectories conditioned on an estimated return: the similarity of observations to the
 * request, and the value of a model fitted to the trajectories.
 *
 * Source: Kim et al. 2023, "Guide Your Agent with Adaptive Multimodal Rewards", arXiv:2309.10790.
 * Differs from it: observations are text, embedded as token counts; a reward model fitted to outcomes replaces the
 * fine-tuned encoder; the return is stated as text, once per trajectory.
 * Why: the environments use text, and a special token would need another vocabulary.
 */
const arp: CreateRecipe = recipe({
  name: "arp",
  literature: "ARP",
  differs: [
    "observations are text, embedded as token counts",
    "a reward model fitted to outcomes replaces the fine-tuned encoder",
    "the return is stated as text, once per trajectory",
  ],
  mechanism: "partial",
  schedule: ["one"],
  settings: {
    similarity: 0.3,
    trials: 4,
    modelSteps: 8,
    steps: 20,
    learningRate: 3e-3,
  },
  stages: ({ similarity, trials, modelSteps, steps, learningRate }) => [
    rewardModelStage({
      name: "encoder",
      rollout: parts.log(trials),
      reward: parts.outcome(),
      losses: [parts.outcomeRegression("end")],
      state: { rm: parts.rewardModelState },
      steps: modelSteps,
      settings: { tasksPerStep: 48, learningRate },
    }),
    tokenStage({
      rollout: parts.log(trials),
      reward: parts.weighted<"rm">([
        [observationLikeness(), similarity],
        [parts.rewardModel(), 1 - similarity],
      ]),
      losses: [parts.returnConditioned()],
      state: { rm: parts.rewardModelState },
      steps,
      settings: { tasksPerStep: 32, learningRate },
    }),
  ],
});

/**
 * DT-Mem: imitates stored trajectories conditioned on their returns, with a working memory of the actions at
 * similar requests. The memory changes with new observations.
 *
 * Source: Kang et al. 2023, "Think Before You Act: Decision Transformers with Working Memory", arXiv:2305.16338.
 * Differs from it: the memory is text searched by shared words, not a matrix of the model; the return is stated as
 * text, once per trajectory.
 * Why: a text memory survives a new adapter, and a special token would need another vocabulary.
 */
const dtMem: CreateRecipe = recipe({
  name: "dt-mem",
  literature: "DT-Mem",
  differs: [
    "the memory is text searched by shared words, not a matrix of the model",
    "the return is stated as text, once per trajectory",
  ],
  mechanism: "nominal",
  schedule: ["sft"],
  settings: {
    recalled: 2,
    least: 0.5,
    trials: 4,
    steps: 25,
    learningRate: 3e-3,
  },
  stages: ({ recalled, least, trials, steps, learningRate }) => [
    tokenStage({
      rollout: parts.log(trials),
      filters: [parts.remembered(least)],
      reward: parts.outcome(),
      losses: [parts.returnConditioned()],
      state: { "memory-bank": parts.workingMemory(recalled) },
      steps,
      settings: { tasksPerStep: 32, learningRate },
    }),
  ],
});

/**
 * FAFT: also learns from failed trajectories, conditioned on feedback that says so.
 *
 * Source: "Can We Rely on LLM Agents to Draft Long-Horizon Plans? Let's Take TravelPlanner as an Example" (S104).
 * Differs from it: feedback counts failed calls, while the paper names the violated constraints of a plan.
 * Why: the constraints of a task differ between environments.
 */
const faft: CreateRecipe = recipe({
  name: "faft",
  literature: "FAFT",
  differs: [
    "feedback counts failed calls, while the paper names the violated constraints of a plan",
  ],
  mechanism: "partial",
  schedule: ["sft"],
  settings: { mistakes: 0.3, steps: 25, learningRate: 3e-3 },
  stages: ({ mistakes, steps, learningRate }) => [
    tokenStage({
      rollout: parts.demos(mistakes),
      losses: [parts.feedbackConditioned()],
      steps,
      settings: { tasksPerStep: 32, learningRate },
    }),
  ],
});

export const RETURN_RECIPES: readonly CreateRecipe[] = [agenticTransformer, arp, dtMem, faft];
