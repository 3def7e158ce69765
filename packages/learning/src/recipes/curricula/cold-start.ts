/** Demonstrations first, then reinforcement. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { rewardStage, tokenStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { demonstrationStart } from "../stages/demonstration-start.ts";
import { groupReinforcement } from "../stages/group-reinforcement.ts";

/**
 * WebDancer: imitates successful demonstrations, then learns from outcome rewards only.
 *
 * Source: "WebDancer: Towards Autonomous Information Seeking Agency", arXiv:2505.22648.
 * Differs from it: demonstrations come from the environment, not from crawled pages.
 * Why: a run has no network access, and the environment's demonstrations have verified outcomes.
 */
const webdancer: CreateRecipe = recipe({
  name: "webdancer",
  literature: "WebDancer",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "demonstrations come from the environment, not from crawled pages",
  ],
  mechanism: "nominal",
  schedule: ["sft-rl"],
  settings: { groupSize: 8, epsilon: 0.2, startSteps: 2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate }) => [
    demonstrationStart({
      steps: startSteps,
      learningRate,
      mistakes: 0.3,
      filters: [parts.success()],
    }),
    groupReinforcement({ groupSize, loss: parts.pgClip(epsilon), steps, learningRate }),
  ],
});

/**
 * EnvFactory: verified demonstrations in generated environments, then reinforcement learning there.
 *
 * Source: "EnvFactory: Scaling Tool-Use Agents via Executable Environments Synthesis and Robust RL" (S143).
 * Differs from it: the environments are the built-in generators.
 * Why: they have exact verifiers and can be repeated from a seed.
 */
const envFactory: CreateRecipe = recipe({
  name: "env-factory",
  literature: "EnvFactory",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "the environments are the built-in generators",
  ],
  mechanism: "nominal",
  schedule: ["sft-rl"],
  settings: { groupSize: 8, epsilon: 0.2, startSteps: 2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate }) => [
    demonstrationStart({
      steps: startSteps,
      learningRate,
      mistakes: 0.3,
      filters: [parts.verify()],
    }),
    groupReinforcement({ groupSize, loss: parts.pgClip(epsilon), steps, learningRate }),
  ],
});

/**
 * CodeGym: reinforcement learning from outcome rewards on rollouts whose environment worked to the end.
 *
 * Source: "Generalizable End-to-End Tool-Use RL with Synthetic CodeGym" (S173).
 * Differs from it: the check applies to rollouts, not to environments.
 * Why: the built-in environments are tested.
 */
const codeGym: CreateRecipe = recipe({
  name: "code-gym",
  literature: "CodeGym",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "the check applies to rollouts, not to environments",
  ],
  mechanism: "nominal",
  needs: ["long-path"],
  schedule: ["one"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3, mostTurns: 8 },
  stages: ({ groupSize, epsilon, steps, learningRate, mostTurns }) => [
    rewardStage({
      rollout: parts.group(groupSize),
      filters: [
        parts.verify(({ record: trajectory }) => [trajectory.terminated]),
        parts.mixedGroup(),
      ],
      reward: parts.outcome(),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      steps,
      settings: { tasksPerStep: 12, learningRate, maxTurns: mostTurns },
    }),
  ],
});

/**
 * GraphWalker: imitates verified random walks, then expert demonstrations, then a short phase of reinforcement
 * learning.
 *
 * Source: "GraphWalker: Agentic Knowledge Graph Question Answering via Synthetic Trajectory Curriculum" (S179).
 * Differs from it: a random walk is a demonstration with half of its decisions random.
 * Why: random decisions reach the same states as a walk over a graph's neighbors.
 */
const graphWalker: CreateRecipe = recipe({
  name: "graph-walker",
  literature: "GraphWalker",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "a random walk is a demonstration with half of its decisions random",
  ],
  mechanism: "partial",
  schedule: ["sft-rl", "stages"],
  settings: { groupSize: 8, epsilon: 0.2, startSteps: 2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate }) => [
    demonstrationStart({
      steps: startSteps,
      learningRate,
      name: "walks",
      mistakes: 0.5,
      filters: [parts.verify()],
    }),
    demonstrationStart({ steps: startSteps, learningRate, name: "expert" }),
    groupReinforcement({ groupSize, loss: parts.pgClip(epsilon), steps, learningRate }),
  ],
});

/**
 * LongVT: demonstrations, then reinforcement learning, then fine-tuning on successful rollouts of the second stage.
 *
 * Source: "LongVT: Incentivizing "Thinking with Long Videos" via Native Tool Calling" (S216).
 * Differs from it: the loss is a token mean over the minibatch; groups with equal rewards are rolled out again.
 * Why: a token mean gives long trajectories their full weight, and groups of a nano model often have equal rewards.
 */
const longVt: CreateRecipe = recipe({
  name: "long-vt",
  literature: "LongVT",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
  ],
  mechanism: "partial",
  schedule: ["sft-rl-rft"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    startSteps: 2,
    steps: 25,
    learningRate: 3e-3,
    tuneSteps: 4,
  },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate, tuneSteps }) => [
    demonstrationStart({
      steps: startSteps,
      learningRate,
      mistakes: 0.3,
      filters: [parts.success()],
    }),
    groupReinforcement({ groupSize, loss: parts.pgClip(epsilon), steps, learningRate }),
    tokenStage({
      name: "tune",
      rollout: parts.group(groupSize),
      filters: [parts.success()],
      losses: [parts.crossEntropy()],
      steps: tuneSteps,
      settings: { tasksPerStep: 12, learningRate: learningRate / 3 },
    }),
  ],
});

/**
 * Behavior Priming: chooses demonstrations by the behaviors that they show, whether right or wrong, before
 * reinforcement learning.
 *
 * Source: "Beneficial Reasoning Behaviors in Agentic Search and Effective Post-training to Obtain Them" (S098).
 * Differs from it: four behaviors are detected from calls and results: checking, continuing, recovering and
 * answering.
 * Why: this needs no judge and works on any recorded trajectory.
 */
const behaviorPriming: CreateRecipe = recipe({
  name: "behavior-priming",
  literature: "Behavior Priming",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "four behaviors are detected from calls and results: checking, continuing, recovering and answering",
  ],
  mechanism: "partial",
  schedule: ["sft-rl"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    startSteps: 2,
    steps: 25,
    learningRate: 3e-3,
    leastBehaviors: 3,
  },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate, leastBehaviors }) => [
    demonstrationStart({
      steps: startSteps,
      learningRate,
      mistakes: 0.3,
      filters: [parts.behavior(undefined, leastBehaviors)],
    }),
    groupReinforcement({ groupSize, loss: parts.pgClip(epsilon), steps, learningRate }),
  ],
});

/**
 * VideoTemp-o3: masks failed turns in imitation, and gives a bonus only if the outcome is right.
 *
 * Source: "VideoTemp-o3: Harmonizing Temporal Grounding and Video Understanding in Agentic Thinking- with-Videos"
 * (S346).
 * Differs from it: a noisy turn is one whose call failed.
 * Why: the models read only text, and every record shows which calls failed.
 */
const videoTempO3: CreateRecipe = recipe({
  name: "video-temp-o3",
  literature: "VideoTemp-o3",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "a noisy turn is one whose call failed",
  ],
  mechanism: "partial",
  schedule: ["sft-rl"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    startSteps: 2,
    steps: 25,
    learningRate: 3e-3,
    bonus: 0.2,
  },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate, bonus }) => [
    demonstrationStart({
      steps: startSteps,
      learningRate,
      mistakes: 0.3,
      filters: [parts.stepMask()],
      loss: parts.maskedCrossEntropy(),
    }),
    groupReinforcement({
      groupSize,
      reward: parts.gate(parts.outcome(), parts.callBonus(bonus)),
      loss: parts.pgClip(epsilon),
      steps,
      learningRate,
    }),
  ],
});

export const COLD_START_RECIPES: readonly CreateRecipe[] = [
  webdancer,
  envFactory,
  codeGym,
  graphWalker,
  longVt,
  behaviorPriming,
  videoTempO3,
];
