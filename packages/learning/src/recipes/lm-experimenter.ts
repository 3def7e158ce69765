/**
 * LM as experimenter: a curriculum over tasks for an actor that is paid by a judge.
 *
 * Source: "Game On: Towards Language Models as RL Experimenters" (S170).
 * Differs from it: tasks come from a pool, so that pass rates are known; the curriculum follows pass rates, no model runs it; a moving baseline, as the
 * abstract names no estimator; the judge reads calls and results.
 * Why: a pass rate needs rollouts at the same task again; no second model fits into runs of minutes.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import { callsAndResults } from "./calls-and-results.ts";

export const lmExperimenter: CreateRecipe = recipe({
  name: "lm-experimenter",
  literature: "LM as experimenter",
  differs: [
    "tasks come from a pool, so that pass rates are known",
    "token-mean over the minibatch",
    "the curriculum follows pass rates, no model runs it",
    "a moving baseline, as the abstract names no estimator",
    "the judge reads calls and results",
  ],
  schedule: ["one"],
  settings: { decay: 0.98, epsilon: 0.2, steps: 25, learningRate: 3e-3, pool: 384 },
  stages: ({ decay, epsilon, steps, learningRate, pool }) => [
    rewardStage({
      rollout: parts.single(),
      filters: [parts.passRateBand()],
      reward: parts.judge(callsAndResults),
      advantage: parts.movingBaselineAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: {
        judge: parts.judgement,
        baseline: parts.baseline({ decay, prior: 0.5 }),
        "task-stats": parts.taskStats(),
      },
      schedule: [parts.difficultyCurriculum()],
      steps,
      settings: { tasksPerStep: 96, learningRate, taskPool: pool },
    }),
  ],
});
