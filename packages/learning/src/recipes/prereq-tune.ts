/**
 * Prereq-Tune: an adapter learns what has to be known first; the one that learns the skill begins there and
 * is what stays.
 *
 * Source: Liu et al. 2025, "Fictitious Synthetic Data Can Improve LLM Factuality via Prerequisite Learning",
 * arXiv:2410.19290.
 * Differs from it: knowledge is which calls there are to make, skill is to answer with what they said; the
 * skill starts from the knowledge's weights in place of being added to them.
 * Why: a nano model's knowledge is which calls there are; one adapter is what pages load.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
const ROLES = ["knowledge", "skill"] as const;

export const prereqTune: CreateRecipe = recipe({
  name: "prereq-tune",
  literature: "Prereq-Tune",
  differs: [
    "knowledge is which calls there are to make, skill is to answer with what they said",
    "the skill starts from the knowledge's weights in place of being added to them",
  ],
  schedule: ["stages"],
  settings: { knowledgeSteps: 8, steps: 15, learningRate: 3e-3 },
  stages: ({ knowledgeSteps, steps, learningRate }) =>
    ROLES.map((role) =>
      tokenStage({
        name: role,
        rollout: parts.demos(),
        filters: [
          parts.stepMask(({ toolCalls }) => toolCalls.length > 0 === (role === "knowledge")),
        ],
        losses: [parts.crossEntropy()],
        state: {
          "role-adapters": parts.roleAdapters(ROLES, {
            learn: [role],
            roleOf: () => role,
            ...(role === "skill" ? { copies: { skill: "knowledge" } } : {}),
          }),
        },
        steps: role === "knowledge" ? knowledgeSteps : steps,
        settings: { tasksPerStep: 32, learningRate },
      }),
    ),
});
