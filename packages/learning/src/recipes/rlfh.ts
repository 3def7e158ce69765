/**
 * RLFH: verdicts on single claims become rewards where the claims are made.
 *
 * Source: Wen et al. 2024, "On-Policy Self-Alignment with Fine-grained Knowledge Feedback for Hallucination
 * Mitigation", arXiv:2406.12221.
 * Differs from it: claims are what is said at the end, checked against what tools had said; no model takes them apart; what single turns are worth is read off calls and results.
 * Why: whether a tool had said it is exact, and no model that takes answers apart fits into runs of minutes.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const rlfh: CreateRecipe = recipe({
  name: "rlfh",
  literature: "RLFH",
  differs: [
    "token-mean over the minibatch",
    "claims are what is said at the end, checked against what tools had said; no model takes them apart",
    "what single turns are worth is read off calls and results",
  ],
  schedule: ["one"],
  settings: { grounding: 0.5, lambda: 1, epsilon: 0.2, steps: 25, learningRate: 3e-3 },
  stages: ({ grounding, lambda, epsilon, steps, learningRate }) => [
    rewardStage({
      rollout: parts.single(),
      reward: parts.weighted([
        [parts.ruleProcess(), { standard: 1 }],
        [parts.groundedAnswer(), grounding],
      ]),
      advantage: parts.gae({ lambda }),
      losses: [parts.pgClip(epsilon), { loss: parts.critic(), weight: parts.CRITIC_WEIGHT }],
      state: { critic: parts.valueHead, judge: parts.ruleJudge },
      steps,
      settings: { tasksPerStep: 96, learningRate },
    }),
  ],
});
