/**
 * OPRL: a process reward model is learned from preferences of whole trajectories, in turns with the
 * policy; its log-ratios to the base pay single steps beside the outcome.
 *
 * Source: "Online Process Reward Learning for Agentic Reinforcement Learning", arXiv:2509.19199,
 * equations 4 and 5.
 * Differs from it: the model and the policy take turns by rounds of some steps; pairs are the best and
 * the worst rollout at a task.
 * Why: rounds of some steps let a model see what the newer policy does before it judges it.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { processModelStage, rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const oprl: CreateRecipe = recipe({
  name: "oprl",
  literature: "OPRL",
  differs: [
    "the model and the policy take turns by rounds of some steps",
    "pairs are the best and the worst rollout at a task",
  ],
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
        [parts.outcome(), { standard: 1 }],
        [parts.implicitProcess(beta), { standard: 1 }],
      ]),
      advantage: parts.mixedSteps({ stepWeight }),
      losses: [parts.pgClip(epsilon)],
      state: { iprm: parts.processModelState },
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});
