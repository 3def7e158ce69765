/**
 * APEX-Searcher: the planner learns by how its steps are judged, the executor from demonstrations.
 *
 * Source: "APEX-Searcher: Augmenting LLMs' Search Capabilities through Agentic Planning and Execution"
 * (S080).
 * Differs from it: a judge scores the steps in place of matched sub-questions; the executor learns first.
 * Why: sub-questions have no reference answers here; the executor comes first so that plans are judged by one
 * who can follow them.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage, tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import { turnShown } from "./turn-shown.ts";

const ROLES = ["planner", "executor"] as const;

export const apexSearcher: CreateRecipe = recipe({
  name: "apex-searcher",
  literature: "APEX-Searcher",
  differs: [
    "a judge scores the steps in place of matched sub-questions",
    "the executor learns first",
  ],
  schedule: ["stages"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    executorSteps: 5,
    steps: 20,
    learningRate: 3e-3,
    spread: 0.25,
  },
  stages: ({ groupSize, epsilon, executorSteps, steps, learningRate, spread }) => {
    const roleOf = parts.takingTurns(ROLES);
    return [
      tokenStage({
        name: "executor",
        rollout: parts.demos(),
        losses: [parts.crossEntropy()],
        state: { "role-adapters": parts.roleAdapters(ROLES, { learn: ["executor"], roleOf }) },
        steps: executorSteps,
        settings: { tasksPerStep: 32, learningRate },
      }),
      rewardStage({
        name: "planner",
        rollout: parts.group(groupSize),
        reward: parts.calibratedProcess(turnShown, spread, "turns"),
        advantage: parts.groupAdvantage(),
        losses: [parts.pgClip(epsilon)],
        state: {
          judge: parts.judgement,
          "role-adapters": parts.roleAdapters(ROLES, { learn: ["planner"], roleOf }),
        },
        steps,
        settings: { tasksPerStep: 12, learningRate },
      }),
    ];
  },
});
