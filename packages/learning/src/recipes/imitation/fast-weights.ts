/** Imitation with inner steps, or at test time. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { tokenStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { casesAndNeighbors, neighborDemos } from "../../rollouts/demonstrations.ts";
import { forQuery, learnsSupport, readsContext } from "../../losses/imitation/fast-weights.ts";
import { unsure } from "../../filters/unsure.ts";

/**
 * FocuSFT: before each step, fast weights of the attention learn what stands in the context; the step
 * is taken there and the weights go back.
 *
 * Source: "FocuSFT: Bilevel Optimization for Dilution-Aware Long-Context Fine-Tuning" (S166).
 * Differs from it: attention over the context stays causal; the outer gradient is of first order; all rows
 * of a minibatch share the fast weights.
 * Why: graphs of the engine are causal, and its port has first derivatives.
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
 * AdaptAgent: a start from which one or two demonstrations are enough, and those demonstrations at test
 * time, for each kind of task anew.
 *
 * Source: "AdaptAgent: Adapting Multimodal Web Agents with Few-Shot Learning from Human Demonstrations"
 * (S021).
 * Differs from it: a site is a level of the environment; the person is its demonstrator, at training
 * tasks of the level; the meta-gradient is of first order.
 * Why: there is neither a real site nor a person, and second derivatives are not in the engine's port.
 */
const adaptAgent: CreateRecipe = recipe({
  name: "adapt-agent",
  literature: "AdaptAgent",
  differs: [
    "a site is a level of the environment",
    "the person is its demonstrator, at training tasks of the level",
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
 * TT-SI: at test time, where the policy is unsure of a task, it learns for a moment from tasks like it,
 * and is then as it was.
 *
 * Source: "Self-Improving LLM Agents at Test-Time" (S299).
 * Differs from it: tasks like one are of its level, drawn and not written by a model; how sure the
 * policy is, is the mean probability of what it says.
 * Why: tasks of a level have exact verifiers, and probabilities are at hand.
 */
const ttSi: CreateRecipe = recipe({
  name: "tt-si",
  literature: "TT-SI",
  differs: [
    "tasks like one are of its level, drawn and not written by a model",
    "how sure the policy is, is the mean probability of what it says",
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
