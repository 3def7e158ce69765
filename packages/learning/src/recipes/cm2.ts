/**
 * CM2: reinforcement by checklists in an environment that a model simulates; binary criteria with
 * evidence are judged turn by turn and paid once, at the end.
 *
 * Source: "CM2: Reinforcement Learning with Checklist Rewards for Multi-Turn and Multi-Step Agentic
 * Tool Use" (S107).
 * Differs from it: criteria are the environment's own, met or not by what calls did, no model judges;
 * the simulator is a copy of the base, fitted to logged calls.
 * Why: what calls did is exact, a judge is not; and no second base is there to simulate with.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";

export const cm2: CreateRecipe = recipe({
  name: "cm2",
  literature: "CM2",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "criteria are the environment's own, met or not by what calls did; no model judges",
    "the simulator is a copy of the base, fitted to logged calls",
    "a task ends where the environment says, which follows the calls unseen",
  ],
  schedule: ["sft-rl"],
  settings: { groupSize: 8, epsilon: 0.2, startSteps: 2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate }) => [
    demonstrationStart({ steps: startSteps, learningRate }),
    rewardStage({
      rollout: parts.simulatedTools({ size: groupSize }),
      filters: [parts.mixedGroup()],
      reward: parts.criteriaByRule(),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: { judge: parts.ruleJudge, "world-model": parts.worldModel },
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});
