/** Imitation with inner steps, or at test time. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { tokenStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { casesAndNeighbors, neighborDemos } from "../../rollouts/demonstrations.ts";
import { forQuery, learnsSupport, readsContext } from "../../losses/imitation/fast-weights.ts";
import { unsure } from "../../filters/unsure.ts";

/**
 * FocuSFT: before each step, fast weights of the attention learn the context; the step is taken at these weights,
 * and then they are reset.
 *
 * Source: "FocuSFT: Bilevel Optimization for Dilution-Aware Long-Context Fine-Tuning" (S166).
 * Differs from it: attention over the context stays causal; the outer gradient is of first order; all rows of a
 * minibatch share the fast weights.
 * Why: the engine's graphs are causal, and it provides first derivatives only.
 */
const focuSft: CreateRecipe = recipe({
  name: "focu-sft",
  literature: "FocuSFT",
  differs: [
    "attention over the context stays causal",
    "the outer gradient is of first order",
    "all rows of a minibatch share the fast weights",
  ],
  mechanism: "partial",
  schedule: ["sft"],
  settings: { innerSteps: 2, innerRate: 1e-3, mistakes: 0, steps: 25, learningRate: 3e-3 },
  stages: ({ innerSteps, innerRate, mistakes, steps, learningRate }) => [
    tokenStage({
      rollout: parts.demos(mistakes),
      losses: [parts.bilevel(parts.crossEntropy(), readsContext(innerSteps, innerRate))],
      state: { "fast-weights": parts.temporary },
      steps,
      settings: { tasksPerStep: 16, learningRate },
    }),
  ],
});

/**
 * AdaptAgent: meta-learns a start from which one or two demonstrations are enough, and uses them at test time for
 * each kind of task.
 *
 * Source: "AdaptAgent: Adapting Multimodal Web Agents with Few-Shot Learning from Human Demonstrations" (S021).
 * Differs from it: a site is a difficulty level of the environment; the person is the environment's demonstrator,
 * at training tasks of the level; the meta-gradient is of first order.
 * Why: there is neither a real site nor a person, and the engine provides no second derivatives.
 */
const adaptAgent: CreateRecipe = recipe({
  name: "adapt-agent",
  literature: "AdaptAgent",
  differs: [
    "a site is a difficulty level of the environment",
    "the person is the environment's demonstrator, at training tasks of the level",
    "the meta-gradient is of first order",
  ],
  mechanism: "partial",
  schedule: ["sft"],
  settings: {
    shown: 2,
    metaShown: 16,
    metaSteps: 20,
    innerSteps: 2,
    adaptSteps: 2,
    learningRate: 3e-3,
  },
  stages: ({ shown, metaShown, metaSteps, innerSteps, adaptSteps, learningRate }) => [
    tokenStage({
      name: "start",
      // One site a step: as many demonstrations to adapt with as to be tried on.
      rollout: neighborDemos(metaShown),
      losses: [parts.bilevel(forQuery(), learnsSupport(innerSteps, learningRate))],
      state: { "fast-weights": parts.temporary },
      steps: metaSteps,
      settings: { tasksPerStep: 1, learningRate },
    }),
    tokenStage({
      name: "site",
      rollout: neighborDemos(4 * shown),
      filters: [parts.curated(shown)],
      losses: [parts.crossEntropy()],
      schedule: [parts.testTime("level")],
      steps: adaptSteps,
      settings: { tasksPerStep: 1, learningRate },
    }),
  ],
});

/**
 * TT-SI: at test time, if the policy is uncertain about a task, it trains on similar tasks for a moment and is then
 * reset.
 *
 * Source: "Self-Improving LLM Agents at Test-Time" (S299).
 * Differs from it: similar tasks are drawn from the same level, not written by a model; the certainty is the mean
 * probability of the policy's tokens.
 * Why: tasks of a level have exact verifiers, and the probabilities are already known.
 */
const ttSi: CreateRecipe = recipe({
  name: "tt-si",
  literature: "TT-SI",
  differs: [
    "similar tasks are drawn from the same level, not written by a model",
    "the certainty is the mean probability of the policy's tokens",
  ],
  mechanism: "partial",
  schedule: ["one"],
  settings: { neighbors: 4, below: 0.9, mistakes: 0, steps: 1, learningRate: 3e-3 },
  stages: ({ neighbors, below, mistakes, steps, learningRate }) => [
    tokenStage({
      rollout: casesAndNeighbors(neighbors),
      filters: [unsure(below)],
      losses: [parts.crossEntropy()],
      state: { teacher: parts.demonstrators(mistakes) },
      schedule: [parts.testTime("task")],
      steps,
      settings: { tasksPerStep: 1, learningRate },
    }),
  ],
});

export const FAST_WEIGHT_RECIPES: readonly CreateRecipe[] = [focuSft, adaptAgent, ttSi];
