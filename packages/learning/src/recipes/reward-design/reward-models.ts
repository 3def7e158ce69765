/** Reward models that the recipe trains itself. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { rewardModelStage, rewardStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { callsAndResults } from "../../rewards/calls-and-results.ts";
import { demonstrationStart } from "../stages/demonstration-start.ts";
import { outcomeModel } from "../stages/outcome-model.ts";

/**
 * Atom-Searcher: a reward model rates the units of a rollout, and its weight decays in favor of the outcome.
 *
 * Source: "Atom-Searcher: Enhancing Agentic Deep Research via Fine-Grained Atomic Thought Reward",
 * arXiv:2508.12800.
 * Differs from it: a unit is a turn; the reward model is trained here, on outcomes.
 * Why: the environment answers each turn, and outcomes are the only labels.
 */
const atomSearcher: CreateRecipe = recipe({
  name: "atom-searcher",
  literature: "Atom-Searcher",
  differs: ["a unit is a turn", "the reward model is trained here, on outcomes"],
  mechanism: "partial",
  schedule: ["stages"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    modelSteps: 8,
    steps: 25,
    learningRate: 3e-3,
    processWeight: 0.5,
  },
  stages: ({ groupSize, epsilon, modelSteps, steps, learningRate, processWeight }) => [
    outcomeModel({ steps: modelSteps, learningRate }),
    rewardStage({
      rollout: parts.group(groupSize),
      reward: parts.weighted<"rm">([
        [parts.modeledProcess(), processWeight],
        [parts.outcome(), { default: 1 }],
      ]),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: { rm: parts.rewardModelState },
      schedule: [parts.weightAnneal({ process: [1, 0] })],
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});

/**
 * MSRL: a reward for the structure of the calls, joined later by a reward model's rating of the result.
 *
 * Source: "Breaking the SFT Plateau: Multimodal Structured Reinforcement Learning for Chart-to-Code Generation",
 * arXiv:2508.13587.
 * Differs from it: no charts; structure means that calls succeeded; the second reward is a model trained on
 * outcomes.
 * Why: the models read only text, and every record shows which calls succeeded.
 */
const msrl: CreateRecipe = recipe({
  name: "msrl",
  literature: "MSRL",
  differs: [
    "no charts",
    "structure means that calls succeeded",
    "the second reward is a model trained on outcomes",
  ],
  mechanism: "partial",
  schedule: ["sft-rl"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    startSteps: 2,
    modelSteps: 8,
    steps: 25,
    learningRate: 3e-3,
  },
  stages: ({ groupSize, epsilon, startSteps, modelSteps, steps, learningRate }) => [
    demonstrationStart({ steps: startSteps, learningRate }),
    outcomeModel({ steps: modelSteps, learningRate, at: "end" }),
    rewardStage({
      rollout: parts.group(groupSize),
      reward: parts.weighted<"rm">([
        [parts.exec(), { default: 1 }],
        [parts.rewardModel(), { default: 1 }],
      ]),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: { rm: parts.rewardModelState },
      schedule: [parts.weightAnneal({ rm: [0, 1] })],
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});

/**
 * PRFT: a reward model learned from stored trajectories replaces the reward that is missing after the environment
 * changed.
 *
 * Source: "Adapting Image-based RL Policies via Predicted Rewards" (S022).
 * Differs from it: the tasks stay the same, and the verifier's reward is missing after the stored trajectories;
 * advantages are whitened over the batch.
 * Why: only tasks of the environments have verifiers, and single rollouts have no group.
 */
const prft: CreateRecipe = recipe({
  name: "prft",
  literature: "PRFT",
  differs: [
    "the tasks stay the same, and the verifier's reward is missing after the stored trajectories",
    "advantages are whitened over the batch",
  ],
  mechanism: "partial",
  schedule: ["offline-online"],
  settings: { epsilon: 0.2, modelSteps: 8, steps: 25, learningRate: 3e-3 },
  stages: ({ epsilon, modelSteps, steps, learningRate }) => [
    rewardModelStage({
      name: "reward-model",
      rollout: parts.log(),
      reward: parts.outcome(),
      losses: [parts.outcomeRegression("end")],
      state: { rm: parts.rewardModelState },
      steps: modelSteps,
      settings: { tasksPerStep: 32, learningRate },
    }),
    rewardStage({
      rollout: parts.single(),
      reward: parts.rewardModel(),
      advantage: parts.reinforcePlusPlus(),
      losses: [parts.pgClip(epsilon)],
      state: { rm: parts.rewardModelState },
      steps,
      settings: { tasksPerStep: 96, learningRate },
    }),
  ],
});

/**
 * Controllable ideation: the reward is a vector with a reward model's rating as one dimension, and weights set its
 * direction.
 *
 * Source: "Learning to Generate Research Idea with Dynamic Control", arXiv:2412.14626.
 * Differs from it: the dimensions are the model's rating, success and brevity; weights are settings of the run and
 * steer training, not decoding; advantages are whitened over the batch.
 * Why: ideas have no verifier, so the dimensions are measurable ones, and single rollouts have no group.
 */
const controllableIdeation: CreateRecipe = recipe({
  name: "controllable-ideation",
  literature: "Controllable ideation",
  differs: [
    "the dimensions are the model's rating, success and brevity",
    "weights are settings of the run and steer training, not decoding",
    "advantages are whitened over the batch",
  ],
  mechanism: "nominal",
  schedule: ["sft-rl"],
  settings: {
    epsilon: 0.2,
    startSteps: 2,
    modelSteps: 8,
    steps: 25,
    learningRate: 3e-3,
    expected: 0.5,
    success: 0.5,
    brevity: 0.2,
  },
  stages: ({
    epsilon,
    startSteps,
    modelSteps,
    steps,
    learningRate,
    expected,
    success,
    brevity,
  }) => [
    demonstrationStart({ steps: startSteps, learningRate }),
    outcomeModel({ steps: modelSteps, learningRate, at: "end" }),
    rewardStage({
      rollout: parts.single(),
      reward: parts.multiDimensional<"rm">({
        expected: { reward: parts.rewardModel(), weight: expected },
        success: { reward: parts.outcome(), weight: success },
        brevity: {
          reward: parts.economy({ toolCall: 0.05, turn: 0.05 }),
          weight: brevity,
          of: ({ components }) => -(components?.["cost"] ?? 0),
        },
      }),
      advantage: parts.reinforcePlusPlus(),
      losses: [parts.pgClip(epsilon)],
      state: { rm: parts.rewardModelState },
      steps,
      settings: { tasksPerStep: 96, learningRate },
    }),
  ],
});

/**
 * Gen-Searcher: a judge rewards the gathered evidence, and a reward model rewards the product.
 *
 * Source: "Gen-Searcher: Reinforcing Agentic Search for Image Generation" (S171).
 * Differs from it: no images; the product is the end of the rollout.
 * Why: the models read only text, and the verifier judges the end of a rollout.
 */
const genSearcher: CreateRecipe = recipe({
  name: "gen-searcher",
  literature: "Gen-Searcher",
  differs: ["no images", "the product is the end of the rollout"],
  mechanism: "partial",
  schedule: ["sft-rl"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    startSteps: 2,
    modelSteps: 8,
    steps: 25,
    learningRate: 3e-3,
    gathered: 0.5,
  },
  stages: ({ groupSize, epsilon, startSteps, modelSteps, steps, learningRate, gathered }) => [
    demonstrationStart({ steps: startSteps, learningRate }),
    outcomeModel({ steps: modelSteps, learningRate, at: "end" }),
    rewardStage({
      rollout: parts.group(groupSize),
      reward: parts.weighted<"rm" | "judge">([
        [parts.judge(callsAndResults), gathered],
        [parts.rewardModel(), 1 - gathered],
      ]),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: { rm: parts.rewardModelState, judge: parts.judgment },
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});

const GUIDANCE = "That failed. Use a tool, read its result, then answer.";

/**
 * Agent-RLVR: rolls out failed tasks again with guidance and learns from the result; a reward model learns from the
 * same rollouts which of two is better.
 *
 * Source: "Agent-RLVR: Training Software Engineering Agents via Guidance and Environment Rewards",
 * arXiv:2506.11425.
 * Differs from it: guidance is one sentence; GRPO replaces preference learning; the reward model is trained, but
 * selects no rollouts at test time.
 * Why: a nano model cannot write plans, and groups need no second copy of the policy.
 */
const agentRlvr: CreateRecipe = recipe({
  name: "agent-rlvr",
  literature: "Agent-RLVR",
  differs: [
    "guidance is one sentence",
    "GRPO replaces preference learning",
    "the reward model is trained, but selects no rollouts at test time",
  ],
  mechanism: "partial",
  schedule: ["rounds"],
  settings: { groupSize: 8, epsilon: 0.2, modelSteps: 4, steps: 12, rounds: 2, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, modelSteps, steps, learningRate }) => [
    rewardModelStage({
      name: "reward-model",
      rollout: parts.retry(GUIDANCE, groupSize),
      filters: [parts.pairGap()],
      reward: parts.outcome(),
      losses: [parts.rank()],
      state: { rm: parts.rewardModelState },
      steps: modelSteps,
      settings: { tasksPerStep: 12, learningRate },
    }),
    rewardStage({
      rollout: parts.retry(GUIDANCE, groupSize),
      filters: [parts.mixedGroup()],
      reward: parts.outcome(),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});

export const REWARD_MODEL_RECIPES: readonly CreateRecipe[] = [
  atomSearcher,
  msrl,
  prft,
  controllableIdeation,
  genSearcher,
  agentRlvr,
];
