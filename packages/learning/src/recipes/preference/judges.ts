/** Preferences that train a judge or a reward model first. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { rewardModelStage, rewardStage, tokenStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { lastWords, votedPairs } from "../../filters/accepted.ts";

/**
 * MultiCritique: imitates critiques on which several critics agree, trains a reward model on preferences between
 * them, and reinforces the policy with it.
 *
 * Source: Lan et al. 2024, "Training Language Models to Critique With Multi-agent Feedback", arXiv:2410.15287.
 * Differs from it: a critic is a demonstrator with its own error rate, and its critique is a rollout at the task;
 * agreement is on the final text.
 * Why: there are no other models, and a demonstrator's error rate is known.
 */
const multiCritique: CreateRecipe = recipe({
  name: "multi-critique",
  literature: "MultiCritique",
  differs: [
    "a critic is a demonstrator with its own error rate, and its critique is a rollout at the task",
    "agreement is on the final text",
  ],
  mechanism: "nominal",
  schedule: ["sft-rl"],
  settings: {
    goodMistakes: 0.1,
    fairMistakes: 0.4,
    leastShare: 0.6,
    margin: 0.3,
    groupSize: 8,
    epsilon: 0.2,
    startSteps: 5,
    modelSteps: 8,
    steps: 15,
    learningRate: 3e-3,
  },
  stages: ({ goodMistakes, fairMistakes, leastShare, margin, groupSize, epsilon, ...run }) => {
    const critics = parts.demonstrators(goodMistakes, fairMistakes, fairMistakes);
    const { learningRate } = run;
    return [
      tokenStage({
        name: "agreed",
        rollout: parts.teacherDemos(),
        filters: [parts.vote(lastWords, leastShare)],
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

/**
 * Proactive Agent: labels of several people say which offers are accepted, a judge learns to rank accepted offers
 * higher, and the agent imitates what the judge accepts.
 *
 * Source: Lu et al. 2024, "Proactive Agent: Shifting LLM Agents from Reactive Responses to Active Assistance",
 * arXiv:2410.12361.
 * Differs from it: an offer is a rollout at a task by demonstrators with mistakes, and the majority's answer counts
 * as accepted.
 * Why: no user is observed here, and agreement among imperfect teachers is a label without manual work.
 */
const proactiveAgent: CreateRecipe = recipe({
  name: "proactive-agent",
  literature: "Proactive Agent",
  differs: [
    "an offer is a rollout at a task by demonstrators with mistakes, and the majority's answer counts as accepted",
  ],
  mechanism: "nominal",
  schedule: ["sft"],
  settings: {
    labelers: 4,
    mistakes: 0.3,
    leastShare: 0.5,
    least: 0.5,
    modelSteps: 12,
    steps: 20,
    learningRate: 3e-3,
  },
  stages: ({ labelers, mistakes, leastShare, least, modelSteps, steps, learningRate }) => [
    rewardModelStage({
      name: "judge",
      rollout: parts.toldDemos([""], { size: labelers, mistakes }),
      filters: [votedPairs(leastShare)],
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

export const JUDGE_RECIPES: readonly CreateRecipe[] = [multiCritique, proactiveAgent];
