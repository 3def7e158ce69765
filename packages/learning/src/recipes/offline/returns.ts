/** Stored trajectories, imitated on condition of what they returned. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { rewardModelStage, tokenStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { observationLikeness } from "../../rewards/observation-likeness.ts";

/**
 * Agentic Transformer: stored trials are imitated after their returns; at use the policy is asked for the best.
 *
 * Source: Liu and Abbeel 2023, "Emergent Agentic Transformer from Chain of Hindsight Experience",
 * arXiv:2305.16554.
 * Differs from it: each trial has a context of its own, where the paper has a chain of trials that ends in the
 * best.
 * Why: a chain of rollouts does not fit into the context of a nano model.
 */
const agenticTransformer: CreateRecipe = recipe({
  name: "agentic-transformer",
  literature: "Agentic Transformer",
  differs: ["each trial has a context of its own, in place of a chain that ends in the best"],
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
 * ARP: stored runs are imitated after a return that nobody paid: how like what was seen is to what was asked,
 * and what a model made of the runs expects.
 *
 * Source: Kim et al. 2023, "Guide Your Agent with Adaptive Multimodal Rewards", arXiv:2309.10790.
 * Differs from it: what was seen is text and its embedding the counts of its tokens; a reward model fitted
 * to outcomes stands for the fine-tuned encoder; the return is said in words, once for a run.
 * Why: the environments speak in text, and a token of its own needs another vocabulary.
 */
const arp: CreateRecipe = recipe({
  name: "arp",
  literature: "ARP",
  differs: [
    "what was seen is text and its embedding the counts of its tokens",
    "a reward model fitted to outcomes stands for the fine-tuned encoder",
    "the return is said in words, once for a run",
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
 * DT-Mem: stored runs are imitated after what they returned, with a working memory to read: what was done at
 * requests like this one. What goes into the memory changes with what is seen.
 *
 * Source: Kang et al. 2023, "Think Before You Act: Decision Transformers with Working Memory",
 * arXiv:2305.16338.
 * Differs from it: the memory is text that is recalled by shared words, not a matrix of the model; the return
 * is said in words, once for a run.
 * Why: a memory of text survives a new adapter, and a token of its own needs another vocabulary.
 */
const dtMem: CreateRecipe = recipe({
  name: "dt-mem",
  literature: "DT-Mem",
  differs: [
    "the memory is text that is recalled by shared words, not a matrix of the model",
    "the return is said in words, once for a run",
  ],
  mechanism: "partial",
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
 * FAFT: runs that failed are learned from too, after feedback that says so.
 *
 * Source: "Can We Rely on LLM Agents to Draft Long-Horizon Plans? Let's Take TravelPlanner as an
 * Example" (S104).
 * Differs from it: feedback counts failed calls, where the paper names the constraints of a plan.
 * Why: what a task demands differs from environment to environment.
 */
const faft: CreateRecipe = recipe({
  name: "faft",
  literature: "FAFT",
  differs: ["feedback counts failed calls, where the paper names the constraints of a plan"],
  mechanism: "whole",
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
