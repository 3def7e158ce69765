/**
 * SEVerA: a contract on calls holds whatever the weights: what breaks it is refused before any tool sees it,
 * and a fallback ends the rollout. Only the soft goal is learned.
 *
 * Source: "SEVerA: Verified Synthesis of Self-Evolving Agents" (S302).
 * Differs from it: the contract: known tools, arguments of their schema, a bound on calls; the fallback says nothing and ends the rollout; refused turns carry no loss.
 * Why: these can be checked before a call runs, and what is refused was not the policy's to learn.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import * as parts from "../parts/index.ts";
import { groupReinforcement } from "./group-reinforcement.ts";

export const severa: CreateRecipe = recipe({
  name: "severa",
  literature: "SEVerA",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "the contract: known tools, arguments of their schema, a bound on calls",
    "the fallback says nothing and ends the attempt",
    "refused turns carry no loss",
  ],
  schedule: ["stages"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3, mostCalls: 4 },
  stages: ({ groupSize, epsilon, steps, learningRate, mostCalls }) => [
    groupReinforcement({
      groupSize,
      name: "easy",
      difficulty: 0,
      rollout: parts.underContract(mostCalls, groupSize),
      filters: [parts.withoutRefused()],
      loss: parts.pgClip(epsilon),
      steps,
      learningRate,
    }),
    groupReinforcement({
      groupSize,
      name: "all",
      rollout: parts.underContract(mostCalls, groupSize),
      filters: [parts.withoutRefused()],
      loss: parts.pgClip(epsilon),
      steps,
      learningRate,
    }),
  ],
});
