/**
 * GRPO with outcome rewards and without the KL term: the point that the literature's rows differ from.
 *
 * Source: Shao et al. 2024, "DeepSeekMath", arXiv:2402.03300, equation 3.
 * Differs from it: token-mean over the minibatch instead of a mean over each trajectory first; no
 * reference KL; the standard deviation is the population's.
 * Why: a token mean keeps long trajectories from weighing less, a pull to the reference costs a forward pass and
 * changed nothing at equal budget (docs/evidence/studies/kl-term.md), and in groups of one size the
 * conventions of the deviation differ by a constant.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const grpo: CreateRecipe = recipe({
  name: "grpo",
  literature: {
    recipe: "GRPO",
    paper: "DeepSeekMath: Pushing the Limits of Mathematical Reasoning in Open Language Models",
    system: null,
    table: "policy-gradient",
    parts: {
      rollout: ["group"],
      reward: ["outcome"],
      advantage: ["group"],
      loss: ["pg-clip"],
      schedule: ["one"],
    },
    difference: "Nothing: it is plain GRPO.",
  },
  differs: [
    "token-mean over the minibatch",
    "no KL to a reference",
    "the standard deviation is the population's",
  ],
  schedule: ["one"],
  settings: { groupSize: 8, tasks: 16, epsilon: 0.2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, tasks, epsilon, steps, learningRate }) => [
    rewardStage({
      rollout: parts.group(groupSize),
      reward: parts.outcome(),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      steps,
      settings: { tasksPerStep: tasks, learningRate },
    }),
  ],
});
