/**
 * ToolCUA: single turns of stored trajectories first, whole trajectories that mind the path after.
 *
 * Source: "ToolCUA: Towards Optimal GUI-Tool Path Orchestration for Computer Use Agents" (S327).
 * Differs from it: every turn with a call is a point to choose at; stored trajectories are demonstrations at first,
 * and what the policy did from them is stored too.
 * Why: a policy that has left the demonstrations must learn from where it is.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";
import { groupReinforcement } from "./group-reinforcement.ts";

export const toolCua: CreateRecipe = recipe({
  name: "tool-cua",
  literature: "ToolCUA",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "every turn with a call is a point to choose at",
    "stored trajectories are demonstrations at first, and what the policy did from them is stored too",
  ],
  schedule: ["sft-rl", "stages"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    startSteps: 2,
    steps: 25,
    learningRate: 3e-3,
    pivotSteps: 8,
    callCost: 0.05,
    bonus: 0.2,
  },
  stages: ({
    groupSize,
    epsilon,
    startSteps,
    steps,
    learningRate,
    pivotSteps,
    callCost,
    bonus,
  }) => [
    demonstrationStart({ steps: startSteps, learningRate }),
    rewardStage({
      rollout: parts.pivot(groupSize),
      filters: [parts.mixedGroup()],
      reward: parts.equivalent(),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      name: "turns",
      steps: pivotSteps,
      settings: { tasksPerStep: 12, learningRate },
    }),
    groupReinforcement({
      groupSize,
      name: "paths",
      reward: parts.gate(
        parts.weighted([
          [parts.outcome(), { standard: 0.5 }],
          [parts.economy({ toolCall: callCost }), { standard: 0.5 }],
        ]),
        parts.callBonus(bonus),
      ),
      loss: parts.pgClip(epsilon),
      steps,
      learningRate,
    }),
  ],
});
