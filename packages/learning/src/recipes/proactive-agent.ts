/**
 * Proactive Agent: labels of several people say which offers are accepted, a judge is trained to rank
 * accepted ones higher, and the agent imitates what the judge accepts.
 *
 * Source: Lu et al. 2024, "Proactive Agent: Shifting LLM Agents from Reactive Responses to Active
 * Assistance", arXiv:2410.12361.
 * Differs from it: an offer is a rollout at a task, made and labelled by demonstrators that err: what most
 * of them say is accepted.
 * Why: no user is watched here, and agreement among teachers that err is a label that nobody must give.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardModelStage, tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const proactiveAgent: CreateRecipe = recipe({
  name: "proactive-agent",
  literature: "Proactive Agent",
  differs: [
    "an offer is a rollout at a task, made and labelled by demonstrators that err: what most of them say is accepted",
  ],
  schedule: ["sft"],
  settings: {
    ...{ labelers: 4, mistakes: 0.3, leastShare: 0.5, least: 0.5 },
    ...{ modelSteps: 12, steps: 20, learningRate: 3e-3 },
  },
  stages: ({ labelers, mistakes, leastShare, least, modelSteps, steps, learningRate }) => [
    rewardModelStage({
      name: "judge",
      rollout: parts.toldDemos([""], { size: labelers, mistakes }),
      filters: [parts.votedPairs(leastShare)],
      reward: parts.outcome(),
      losses: [parts.rank()],
      state: { rm: parts.rewardModelState },
      steps: modelSteps,
      settings: { tasksPerStep: 24, learningRate },
    }),
    tokenStage({
      rollout: parts.demos(mistakes),
      filters: [parts.accepted(least)],
      reward: parts.rewardModel("logits"),
      losses: [parts.crossEntropy()],
      state: { rm: parts.rewardModelState },
      steps,
      settings: { tasksPerStep: 32, learningRate },
    }),
  ],
});
