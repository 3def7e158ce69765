/** Demonstrations first, then reinforcement. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { rewardStage, tokenStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { demonstrationStart } from "../stages/demonstration-start.ts";
import { groupReinforcement } from "../stages/group-reinforcement.ts";

/**
 * WebDancer: a start from demonstrations that succeeded, then reinforcement by outcome alone.
 *
 * Source: "WebDancer: Towards Autonomous Information Seeking Agency", arXiv:2505.22648.
 * Differs from it: demonstrations of the environment stand for crawled ones.
 * Why: nothing outside is reached from a run, and demonstrations have verified ends.
 */
const webdancer: CreateRecipe = recipe({
  name: "webdancer",
  literature: "WebDancer",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "demonstrations of the environment stand for crawled ones",
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
 * EnvFactory: verified demonstrations in generated environments, then reinforcement there.
 *
 * Source: "EnvFactory: Scaling Tool-Use Agents via Executable Environments Synthesis and Robust RL"
 * (S143).
 * Differs from it: the environments are this project's own generators.
 * Why: they have exact verifiers and can be repeated from a seed.
 */
const envFactory: CreateRecipe = recipe({
  name: "env-factory",
  literature: "EnvFactory",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "the environments are this project's own generators",
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
 * CodeGym: plain outcome reinforcement on rollouts whose environment held to the end.
 *
 * Source: "Generalizable End-to-End Tool-Use RL with Synthetic CodeGym" (S173).
 * Differs from it: rollouts are checked, not environments.
 * Why: the environments of this project are tested.
 */
const codeGym: CreateRecipe = recipe({
  name: "code-gym",
  literature: "CodeGym",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "rollouts are checked, not environments: those of this project are tested",
  ],
  mechanism: "nominal",
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
 * GraphWalker: random walks that were verified, then expert demonstrations, then a little
 * reinforcement.
 *
 * Source: "GraphWalker: Agentic Knowledge Graph Question Answering via Synthetic Trajectory
 * Curriculum" (S179).
 * Differs from it: a walk is the demonstrator with half of its decisions made at random.
 * Why: mistakes at random visit what a graph's neighbors would.
 */
const graphWalker: CreateRecipe = recipe({
  name: "graph-walker",
  literature: "GraphWalker",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "a walk is the demonstrator with half of its decisions made at random",
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
 * LongVT: demonstrations, reinforcement, then tuning on the successes of the second stage's policy.
 *
 * Source: "LongVT: Incentivizing "Thinking with Long Videos" via Native Tool Calling" (S216).
 * Differs from it: token-mean over the minibatch; groups without a signal are rolled out again.
 * Why: a token mean keeps long trajectories from weighing less, and a nano model's groups are often all right or
 * all wrong.
 */
const longVt: CreateRecipe = recipe({
  name: "long-vt",
  literature: "LongVT",
  differs: ["token-mean over the minibatch", "groups without a signal are rolled out again"],
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
 * Behavior Priming: demonstrations are chosen by the behaviors that they show, right or wrong, before
 * reinforcement.
 *
 * Source: "Beneficial Reasoning Behaviors in Agentic Search and Effective Post-training to Obtain
 * Them" (S098).
 * Differs from it: behaviors are read off calls and results: checks, goes on, recovers, answers.
 * Why: no judge is there, and these four can be read off any record.
 */
const behaviorPriming: CreateRecipe = recipe({
  name: "behavior-priming",
  literature: "Behavior Priming",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "behaviors are read off calls and results: checks, goes on, recovers, answers",
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
 * VideoTemp-o3: turns that failed are masked in imitation, and a bonus is guarded by the outcome.
 *
 * Source: "VideoTemp-o3: Harmonizing Temporal Grounding and Video Understanding in Agentic Thinking-
 * with-Videos" (S346).
 * Differs from it: a noisy turn is one whose call failed.
 * Why: the models read text alone, and which calls failed is in every record.
 */
const videoTempO3: CreateRecipe = recipe({
  name: "video-temp-o3",
  literature: "VideoTemp-o3",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
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
