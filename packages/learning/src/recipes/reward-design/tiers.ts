/** Rewards in tiers: readable, ran, solved. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { rewardStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { readRanSolved } from "../stages/answer-tiers.ts";
import { demonstrationStart } from "../stages/demonstration-start.ts";
import { groupReinforcement } from "../stages/group-reinforcement.ts";

/**
 * AgenTracer: a tiered reward, the coarse answer before the fine one, on checked rollouts.
 *
 * Source: "AgenTracer: Who Is Inducing Failure in the LLM Agentic Systems?" (S063).
 * Differs from it: the tiers are readable turns, successful calls and success, not the agent and step of a fault;
 * checked rollouts are those that ended on their own.
 * Why: no label names the faulty step, while readable turns and successful calls are in every record.
 */
const agenTracer: CreateRecipe = recipe({
  name: "agen-tracer",
  literature: "AgenTracer",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "the tiers are readable turns, successful calls and success, not the agent and step of a fault",
    "checked rollouts are those that ended on their own",
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
      reward: readRanSolved(),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      steps,
      settings: { tasksPerStep: 12, learningRate, maxTurns: mostTurns },
    }),
  ],
});

/**
 * GeoVista: after a start from demonstrations, credits the level of detail that an answer reaches.
 *
 * Source: "GeoVista: Web-Augmented Agentic Visual Reasoning for Geolocalization" (S175).
 * Differs from it: the levels are readable turns, successful calls and success, not city and country.
 * Why: the environments have no places on a map, and these levels are in every record.
 */
const geoVista: CreateRecipe = recipe({
  name: "geo-vista",
  literature: "GeoVista",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "the levels are readable turns, successful calls and success, not city and country",
  ],
  mechanism: "nominal",
  schedule: ["sft-rl"],
  settings: { groupSize: 8, epsilon: 0.2, startSteps: 2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate }) => [
    demonstrationStart({ steps: startSteps, learningRate }),
    groupReinforcement({
      groupSize,
      reward: readRanSolved(),
      loss: parts.pgClip(epsilon),
      steps,
      learningRate,
    }),
  ],
});

/**
 * QUASAR: rewards readable and executable output before correct output.
 *
 * Source: "QUASAR: Quantum Assembly Code Generation Using Tool-Augmented LLMs via Agentic RL" (S274).
 * Differs from it: the tiers are readable turns, successful calls and success.
 * Why: no circuits are built here, and these levels are in every record.
 */
const quasar: CreateRecipe = recipe({
  name: "quasar",
  literature: "QUASAR",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "the tiers are readable turns, successful calls and success",
  ],
  mechanism: "partial",
  schedule: ["one"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, steps, learningRate }) => [
    groupReinforcement({
      groupSize,
      reward: readRanSolved(),
      loss: parts.pgClip(epsilon),
      steps,
      learningRate,
    }),
  ],
});

export const TIER_RECIPES: readonly CreateRecipe[] = [agenTracer, geoVista, quasar];
