/**
 * PilotRL: first what follows the plan is learned, then the plan, then both.
 *
 * Source: "PilotRL: Training Language Model Agents via Global Planning-Guided Progressive Reinforcement
 * Learning" (S261).
 * Differs from it: the plan is the first turn, which decides where a rollout goes; what turns are worth is read off calls and results, no model judges.
 * Why: a nano model writes no plans, but its first turn decides; a rule judges the same record the same way.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const pilotRl: CreateRecipe = recipe({
  name: "pilot-rl",
  literature: "PilotRL",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "the plan is the first turn, which decides where a rollout goes",
    "what turns are worth is read off calls and results, no model judges",
  ],
  schedule: ["mask-stages"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, steps, learningRate }) => [
    rewardStage({
      name: "following",
      rollout: parts.group(groupSize),
      filters: [parts.mixedGroup()],
      reward: parts.ruleProcess(),
      advantage: parts.mixedSteps(),
      losses: [parts.spanMask(parts.pgClip(epsilon), (turn, { turns }) => turn !== turns[0])],
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
    rewardStage({
      name: "planning",
      rollout: parts.group(groupSize),
      filters: [parts.mixedGroup()],
      reward: parts.ruleProcess(),
      advantage: parts.mixedSteps(),
      losses: [parts.spanMask(parts.pgClip(epsilon), (turn, { turns }) => turn === turns[0])],
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
    rewardStage({
      name: "both",
      rollout: parts.group(groupSize),
      filters: [parts.mixedGroup()],
      reward: parts.ruleProcess(),
      advantage: parts.mixedSteps(),
      losses: [parts.spanMask(parts.pgClip(epsilon), () => true)],
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});
