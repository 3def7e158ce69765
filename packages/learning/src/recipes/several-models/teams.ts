/** Several roles that act together and share the outcome. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { rewardStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { roleSwap } from "../../schedules/role-swap.ts";
import { callsAndResults } from "../../rewards/calls-and-results.ts";

const MAGRPO_ROLES = ["first", "second"] as const;

/**
 * MAGRPO: agents act at the same time in one environment, group statistics cover joint rollouts, and all members of
 * a joint rollout have the same advantage.
 *
 * Source: "LLM Collaboration With Multi-Agent Reinforcement Learning", arXiv:2508.04652.
 * Differs from it: two agents; the loss is a token mean over the minibatch.
 * Why: a call divides into two parts, and a token mean gives long trajectories their full weight.
 */
const magrpo: CreateRecipe = recipe({
  name: "magrpo",
  literature: "MAGRPO",
  differs: ["two agents", "the loss is a token mean over the minibatch"],
  mechanism: "whole",
  needs: ["turn-rewards"],
  schedule: ["one"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, steps, learningRate }) => [
    rewardStage({
      rollout: parts.teamOf({ how: "together", roles: MAGRPO_ROLES, size: groupSize }),
      reward: parts.team(),
      advantage: parts.jointAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: { "role-adapters": parts.roleAdapters(MAGRPO_ROLES) },
      steps,
      settings: { tasksPerStep: 8, learningRate },
    }),
  ],
});

const MARFT_ROLES = ["drafter", "checker"] as const;

/**
 * MARFT: agents act in any order and read the answers before them; rewards belong to the team, and statistics to
 * each agent.
 *
 * Source: "MARFT: Multi-Agent Reinforcement Fine-Tuning", arXiv:2504.16129.
 * Differs from it: group statistics instead of a critic for each agent.
 * Why: agents start from one task, so siblings are a baseline that needs no training.
 */
const marft: CreateRecipe = recipe({
  name: "marft",
  literature: "MARFT",
  differs: ["group statistics instead of a critic for each agent"],
  mechanism: "partial",
  schedule: ["one"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, steps, learningRate }) => [
    rewardStage({
      rollout: parts.teamOf({ how: "relay", roles: MARFT_ROLES, size: groupSize }),
      reward: parts.team(),
      advantage: parts.perAgent(),
      losses: [parts.spanMask(parts.pgClip(epsilon))],
      state: { "role-adapters": parts.roleAdapters(MARFT_ROLES) },
      steps,
      settings: { tasksPerStep: 8, learningRate },
    }),
  ],
});

const COPIES = ["pioneer", "observer"] as const;

/**
 * CORY: two copies act in sequence; the observer reads the pioneer's answer, both get the sum of the rewards, and
 * they swap roles.
 *
 * Source: Ma et al. 2024, "Coevolving with the Other You: Fine-Tuning LLM with Sequential Cooperative Multi-Agent
 * Reinforcement Learning", arXiv:2410.06101.
 * Differs from it: an adapter for each copy over one base model.
 * Why: pages and trainer hold one base model.
 */
const cory: CreateRecipe = recipe({
  name: "cory",
  literature: "CORY",
  differs: ["an adapter for each copy over one base model"],
  mechanism: "partial",
  schedule: [],
  settings: {
    groupSize: 4,
    epsilon: 0.2,
    lambda: 1,
    klCoefficient: 0.02,
    swapEvery: 5,
    steps: 25,
    learningRate: 3e-3,
  },
  stages: ({ groupSize, epsilon, lambda, klCoefficient, swapEvery, steps, learningRate }) => [
    rewardStage({
      rollout: parts.teamOf({ how: "relay", roles: COPIES, size: groupSize }),
      reward: parts.team("sum"),
      advantage: parts.gae({ lambda }),
      losses: [parts.pgClip(epsilon), { loss: parts.critic(), weight: parts.CRITIC_WEIGHT }],
      kl: { in: "loss", coefficient: klCoefficient, estimator: "k3" },
      state: {
        // Each copy has had both roles, so one of them alone is deployed.
        "role-adapters": parts.roleAdapters(COPIES, { deploys: "pioneer" }),
        critic: parts.valueHead,
        ref: parts.reference,
      },
      schedule: [roleSwap(swapEvery)],
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});

const CO_MAS_ROLES = ["proposer", "critic", "reviser"] as const;

/**
 * CoMAS: agents discuss a task, and a judge's view of the discussion is their reward, each agent on its own scale.
 *
 * Source: "CoMAS: Co-Evolving Multi-Agent Systems via Interaction Rewards", arXiv:2510.08529.
 * Differs from it: the judge is not one of the agents; a discussion has one answer by each of three agents, who
 * read the answers before them.
 * Why: a policy that judges itself could agree with itself, and the judge's rule can be repeated.
 */
const coMas: CreateRecipe = recipe({
  name: "co-mas",
  literature: "CoMAS",
  differs: [
    "the judge is not one of the agents",
    "a discussion has one answer by each of three agents, who read the answers before them",
  ],
  mechanism: "partial",
  schedule: ["one"],
  settings: { groupSize: 6, epsilon: 0.2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, steps, learningRate }) => [
    rewardStage({
      rollout: parts.teamOf({ how: "relay", roles: CO_MAS_ROLES, size: groupSize }),
      reward: parts.judge(callsAndResults),
      advantage: parts.perAgent(),
      losses: [parts.pgClip(epsilon)],
      state: { judge: parts.judgment },
      steps,
      settings: { tasksPerStep: 8, learningRate },
    }),
  ],
});

const ASTRA_FLOW_ROLES = ["first", "second"] as const;

/**
 * AstraFlow: several policies take joint rollouts from one asynchronous flow, so each learns from the actions of an
 * older version.
 *
 * Source: "AstraFlow: Dataflow-Oriented Reinforcement Learning for Agentic LLMs" (S086).
 * Differs from it: one of the recipes that the flow supports; the staleness is fixed.
 * Why: a fixed staleness can be repeated from a seed, and the flow treats all recipes alike.
 */
const astraFlow: CreateRecipe = recipe({
  name: "astra-flow",
  literature: "AstraFlow",
  differs: ["one of the recipes that the flow supports", "the staleness is fixed"],
  mechanism: "nominal",
  schedule: ["one"],
  settings: { groupSize: 6, epsilon: 0.2, lag: 2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, lag, steps, learningRate }) => [
    rewardStage({
      rollout: parts.asynchronous(
        parts.teamOf({ how: "relay", roles: ASTRA_FLOW_ROLES, size: groupSize }),
      ),
      reward: parts.outcome(),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: { "role-adapters": parts.roleAdapters(ASTRA_FLOW_ROLES) },
      steps,
      settings: { tasksPerStep: 8, learningRate, lag },
    }),
  ],
});

export const TEAM_RECIPES: readonly CreateRecipe[] = [magrpo, marft, cory, coMas, astraFlow];
