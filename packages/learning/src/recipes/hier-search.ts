/**
 * HierSearch: low-level searchers are trained first, the planner that uses them after; each is an adapter
 * over one base, and they take turns.
 *
 * Source: "HierSearch: A Hierarchical Enterprise Deep Search Framework Integrating Local and Web Searches",
 * arXiv:2508.08088.
 * Differs from it: one searcher, not one for each kind of source; planner and searcher share a conversation.
 * Why: the library is one source, and one conversation needs no second context.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
const ROLES = ["planner", "searcher"] as const;

export const hierSearch: CreateRecipe = recipe({
  name: "hier-search",
  literature: "HierSearch",
  differs: [
    "one searcher, not one for each kind of source",
    "planner and searcher share a conversation",
  ],
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
          "role-adapters": parts.roleAdapters(ROLES, {
            learn: [learner],
            roleOf: parts.takingTurns(ROLES),
          }),
        },
        steps: learner === "searcher" ? searcherSteps : steps,
        settings: { tasksPerStep: 12, learningRate },
      }),
    ),
});
