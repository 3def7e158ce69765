/** A planner above others. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { rewardStage, tokenStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { turnShown } from "../../rewards/calls-and-results.ts";

const HIER_SEARCH_ROLES = ["planner", "searcher"] as const;

/**
 * HierSearch: trains low-level searchers first, then the planner that uses them; each is an adapter over one base
 * model, and they take turns.
 *
 * Source: "HierSearch: A Hierarchical Enterprise Deep Search Framework Integrating Local and Web Searches",
 * arXiv:2508.08088.
 * Differs from it: one searcher, not one for each kind of source; planner and searcher share a conversation.
 * Why: the library is one source, and one conversation needs no second context.
 */
const hierSearch: CreateRecipe = recipe({
  name: "hier-search",
  literature: "HierSearch",
  differs: [
    "one searcher, not one for each kind of source",
    "planner and searcher share a conversation",
  ],
  mechanism: "partial",
  schedule: ["skill-first"],
  settings: { groupSize: 8, epsilon: 0.2, searcherSteps: 10, steps: 15, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, searcherSteps, steps, learningRate }) =>
    (["searcher", "planner"] as const).map((learner) =>
      rewardStage({
        name: learner,
        rollout: parts.group(groupSize),
        filters: [parts.mixedGroup()],
        reward: parts.outcome(),
        advantage: parts.groupAdvantage(),
        losses: [parts.pgClip(epsilon)],
        state: {
          "role-adapters": parts.roleAdapters(HIER_SEARCH_ROLES, {
            learn: [learner],
            roleOf: parts.takingTurns(HIER_SEARCH_ROLES),
          }),
        },
        steps: learner === "searcher" ? searcherSteps : steps,
        settings: { tasksPerStep: 12, learningRate },
      }),
    ),
});

const APEX_SEARCHER_ROLES = ["planner", "executor"] as const;

/**
 * APEX-Searcher: the planner learns from judgments of its steps, and the executor from demonstrations.
 *
 * Source: "APEX-Searcher: Augmenting LLMs' Search Capabilities through Agentic Planning and Execution" (S080).
 * Differs from it: a judge rates the steps, instead of matching sub-questions; the executor is trained first.
 * Why: sub-questions have no reference answers here, and plans should be judged with an executor that can follow
 * them.
 */
const apexSearcher: CreateRecipe = recipe({
  name: "apex-searcher",
  literature: "APEX-Searcher",
  differs: [
    "a judge rates the steps, instead of matching sub-questions",
    "the executor is trained first",
  ],
  mechanism: "partial",
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
    const roleOf = parts.takingTurns(APEX_SEARCHER_ROLES);
    return [
      tokenStage({
        name: "executor",
        rollout: parts.demos(),
        losses: [parts.crossEntropy()],
        state: {
          "role-adapters": parts.roleAdapters(APEX_SEARCHER_ROLES, { learn: ["executor"], roleOf }),
        },
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
          judge: parts.judgment,
          "role-adapters": parts.roleAdapters(APEX_SEARCHER_ROLES, { learn: ["planner"], roleOf }),
        },
        steps,
        settings: { tasksPerStep: 12, learningRate },
      }),
    ];
  },
});

export const HIERARCHY_RECIPES: readonly CreateRecipe[] = [hierSearch, apexSearcher];
