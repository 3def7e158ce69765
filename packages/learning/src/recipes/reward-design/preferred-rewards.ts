/** Rewards from comparisons: implicit process rewards and pairwise wins. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import type { RolloutPart } from "../../composition/part.ts";
import { processModelStage, rewardStage, type Stage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { demonstrationStart } from "../stages/demonstration-start.ts";
import { outcomeModel } from "../stages/outcome-model.ts";

/**
 * OPRL: learns a process reward model from preferences between whole trajectories, alternating with the policy; its
 * log-ratios to the base reward single steps besides the outcome.
 *
 * Source: "Online Process Reward Learning for Agentic Reinforcement Learning", arXiv:2509.19199, equations 4 and 5.
 * Differs from it: the model and the policy alternate in rounds of several steps; pairs are the best and the worst
 * rollout at a task.
 * Why: rounds of several steps show the model the newer policy's behavior before it judges it.
 */
const oprl: CreateRecipe = recipe({
  name: "oprl",
  literature: "OPRL",
  differs: [
    "the model and the policy alternate in rounds of several steps",
    "pairs are the best and the worst rollout at a task",
  ],
  mechanism: "whole",
  schedule: ["alternate"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    beta: 0.05,
    stepWeight: 0.5,
    modelSteps: 2,
    steps: 5,
    rounds: 5,
    learningRate: 3e-3,
  },
  stages: ({ groupSize, epsilon, beta, stepWeight, modelSteps, steps, learningRate }) => [
    processModelStage({
      name: "process-model",
      rollout: parts.group(groupSize),
      filters: [parts.pairGap()],
      reward: parts.outcome(),
      losses: [parts.dpo(beta)],
      state: { iprm: parts.processModelState, ref: parts.reference },
      steps: modelSteps,
      settings: { tasksPerStep: 12, learningRate },
    }),
    rewardStage({
      rollout: parts.group(groupSize),
      filters: [parts.mixedGroup()],
      reward: parts.weighted<"iprm">([
        [parts.outcome(), { default: 1 }],
        [parts.implicitProcess(beta), { default: 1 }],
      ]),
      advantage: parts.mixedSteps({ stepWeight }),
      losses: [parts.pgClip(epsilon)],
      state: { iprm: parts.processModelState },
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});

/**
 * GenAgent: combines absolute rewards of a reward model with wins over the other rollouts, and continues from the
 * beginnings of failed rollouts.
 *
 * Source: "GenAgent: Scaling Text-to-Image Generation via Agentic Multimodal Reasoning" (S172).
 * Differs from it: no images; resampled rollouts are a separate stage.
 * Why: the models read only text, and a separate stage keeps both budgets visible.
 */
const genAgent: CreateRecipe = recipe({
  name: "gen-agent",
  literature: "GenAgent",
  differs: ["no images", "resampled rollouts are a separate stage"],
  mechanism: "partial",
  schedule: ["sft-rl"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    startSteps: 2,
    modelSteps: 8,
    steps: 18,
    resampledSteps: 8,
    learningRate: 3e-3,
    absolute: 0.5,
  },
  stages: ({ groupSize, epsilon, startSteps, modelSteps, steps, resampledSteps, ...rest }) => {
    const { learningRate, absolute } = rest;
    const reinforced = (name: string, rollout: RolloutPart<never, "group">, count: number): Stage =>
      rewardStage({
        name,
        rollout,
        reward: parts.weighted<"rm">([
          [parts.rewardModel(), absolute],
          [parts.preference(), 1 - absolute],
        ]),
        advantage: parts.groupAdvantage(),
        losses: [parts.pgClip(epsilon)],
        state: { rm: parts.rewardModelState },
        steps: count,
        settings: { tasksPerStep: 12, learningRate },
      });
    return [
      demonstrationStart({ steps: startSteps, learningRate }),
      outcomeModel({ steps: modelSteps, learningRate, at: "end" }),
      reinforced("whole", parts.group(groupSize), steps),
      reinforced("resampled", parts.prefixReplay("failed", groupSize), resampledSteps),
    ];
  },
});

export const PREFERRED_REWARD_RECIPES: readonly CreateRecipe[] = [oprl, genAgent];
