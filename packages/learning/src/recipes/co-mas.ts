/**
 * CoMAS: agents discuss a task, and what they are paid is what a judge makes of the discussion, each agent
 * on its own scale.
 *
 * Source: "CoMAS: Co-Evolving Multi-Agent Systems via Interaction Rewards", arXiv:2510.08529.
 * Differs from it: the judge is none of the agents; a discussion is one answer of each of three, each
 * reading those before it.
 * Why: a policy that judges itself could agree with itself; the judge's rule can be repeated.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import { callsAndResults } from "./calls-and-results.ts";

const ROLES = ["proposer", "critic", "reviser"] as const;

export const coMas: CreateRecipe = recipe({
  name: "co-mas",
  literature: "CoMAS",
  differs: [
    "the judge is none of the agents",
    "a discussion is one answer of each of three, each reading those before it",
  ],
  schedule: ["one"],
  settings: { groupSize: 6, epsilon: 0.2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, steps, learningRate }) => [
    rewardStage({
      rollout: parts.teamOf({ how: "relay", roles: ROLES, size: groupSize }),
      reward: parts.judge(callsAndResults),
      advantage: parts.perAgent(),
      losses: [parts.pgClip(epsilon)],
      state: { judge: parts.judgement },
      steps,
      settings: { tasksPerStep: 8, learningRate },
    }),
  ],
});
