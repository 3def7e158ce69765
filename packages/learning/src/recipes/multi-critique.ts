/**
 * MultiCritique: what several critics agree on is imitated, a reward model learns which of their words are
 * preferred, and the policy is reinforced by it.
 *
 * Source: Lan et al. 2024, "Training Language Models to Critique With Multi-agent Feedback",
 * arXiv:2410.15287.
 * Differs from it: a critic is a demonstrator that errs by its own amount, and its critique a rollout at
 * the task; agreement is on the last words.
 * Why: no several models are there; how often a demonstrator errs is known.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardModelStage, rewardStage, tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const multiCritique: CreateRecipe = recipe({
  name: "multi-critique",
  literature: "MultiCritique",
  differs: [
    "a critic is a demonstrator that errs by its own amount, and its critique a rollout at the task",
    "agreement is on the last words",
  ],
  schedule: ["sft-rl"],
  settings: {
    ...{ goodMistakes: 0.1, fairMistakes: 0.4, leastShare: 0.6, margin: 0.3, groupSize: 8 },
    ...{ epsilon: 0.2, startSteps: 5, modelSteps: 8, steps: 15, learningRate: 3e-3 },
  },
  stages: ({ goodMistakes, fairMistakes, leastShare, margin, groupSize, epsilon, ...run }) => {
    const critics = parts.demonstrators(goodMistakes, fairMistakes, fairMistakes);
    const { learningRate } = run;
    return [
      tokenStage({
        name: "agreed",
        rollout: parts.teacherDemos(),
        filters: [parts.vote(parts.lastWords, leastShare)],
        losses: [parts.crossEntropy()],
        state: { teacher: critics },
        steps: run.startSteps,
        settings: { tasksPerStep: 16, learningRate },
      }),
      rewardModelStage({
        name: "preferred",
        rollout: parts.teacherDemos(),
        filters: [parts.pairGap(margin)],
        reward: parts.preference(),
        losses: [parts.rank()],
        state: { teacher: critics, rm: parts.rewardModelState },
        steps: run.modelSteps,
        settings: { tasksPerStep: 24, learningRate },
      }),
      rewardStage({
        rollout: parts.group(groupSize),
        reward: parts.rewardModel("logits"),
        advantage: parts.groupAdvantage(),
        losses: [parts.pgClip(epsilon)],
        state: { rm: parts.rewardModelState },
        steps: run.steps,
        settings: { tasksPerStep: 12, learningRate },
      }),
    ];
  },
});
