/** Reward models that the recipe trains itself. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { rewardModelStage, rewardStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { callsAndResults } from "../../rewards/calls-and-results.ts";
import { demonstrationStart } from "../stages/demonstration-start.ts";
import { outcomeModel } from "../stages/outcome-model.ts";

/**
 * Atom-Searcher: a reward model scores the units of a rollout, and its word fades to the outcome's.
 *
 * Source: "Atom-Searcher: Enhancing Agentic Deep Research via Fine-Grained Atomic Thought Reward",
 * arXiv:2508.12800.
 * Differs from it: a unit is a turn; the reward model is trained here, on outcomes.
 * Why: turns are what the environment answers, and outcomes are the only labels there are.
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
        [parts.modelledProcess(), processWeight],
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
 * MSRL: a reward on the structure of what was called, joined later by a reward model's word on what it
 * came to.
 *
 * Source: "Breaking the SFT Plateau: Multimodal Structured Reinforcement Learning for Chart-to-Code
 * Generation", arXiv:2508.13587.
 * Differs from it: no charts; structure is whether calls ran; the second reward is a model trained on
 * outcomes.
 * Why: the models read text alone, and what ran is in every record.
 */
const msrl: CreateRecipe = recipe({
  name: "msrl",
  literature: "MSRL",
  differs: [
    "no charts",
    "structure is whether calls ran",
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
 * PRFT: a reward model learned from stored trajectories stands in for the reward that is missing once the
 * environment has changed.
 *
 * Source: "Adapting Image-based RL Policies via Predicted Rewards" (S022).
 * Differs from it: the tasks stay as they are, the verifier's reward is what is gone after the stored
 * trajectories; advantages are whitened over the batch.
 * Why: the environments' tasks are those that have verifiers; rollouts are single and have no group.
 */
const prft: CreateRecipe = recipe({
  name: "prft",
  literature: "PRFT",
  differs: [
    "the tasks stay as they are, the verifier's reward is what is gone after the stored trajectories",
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
 * Controllable ideation: the reward is a vector, one dimension of it a reward model's word, and weights
 * say what is wanted of it.
 *
 * Source: "Learning to Generate Research Idea with Dynamic Control", arXiv:2412.14626.
 * Differs from it: dimensions are what the model expects, success and brevity; weights are settings of
 * the run and steer learning, not decoding; advantages are whitened over the batch.
 * Why: ideas have no verifier, so that dimensions are what is measured here; rollouts are single and have no
 * group.
 */
const controllableIdeation: CreateRecipe = recipe({
  name: "controllable-ideation",
  literature: "Controllable ideation",
  differs: [
    "dimensions are what the model expects, success and brevity",
    "weights are settings of the run and steer learning, not decoding",
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
 * Gen-Searcher: what was gathered is rewarded by a judge, what came of it by a reward model.
 *
 * Source: "Gen-Searcher: Reinforcing Agentic Search for Image Generation" (S171).
 * Differs from it: no images; the product is the rollout as it ended.
 * Why: the models read text alone, and the end of a rollout is what the verifier judges.
 */
const genSearcher: CreateRecipe = recipe({
  name: "gen-searcher",
  literature: "Gen-Searcher",
  differs: ["no images", "the product is the rollout as it ended"],
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
      state: { rm: parts.rewardModelState, judge: parts.judgement },
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});

const GUIDANCE = "That failed. Use a tool, read its result, then answer.";

/**
 * Agent-RLVR: failed tasks are rolled out again with guidance, and what came of it is learned; a reward
 * model learns from the same rollouts which of two is better.
 *
 * Source: "Agent-RLVR: Training Software Engineering Agents via Guidance and Environment Rewards",
 * arXiv:2506.11425.
 * Differs from it: guidance is one sentence; GRPO in place of preferences; the reward model is trained,
 * but chooses no rollouts at test time.
 * Why: a nano model writes no plans, and groups need no second copy of the policy.
 */
const agentRlvr: CreateRecipe = recipe({
  name: "agent-rlvr",
  literature: "Agent-RLVR",
  differs: [
    "guidance is one sentence",
    "GRPO in place of preferences",
    "the reward model is trained, but chooses no rollouts at test time",
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
