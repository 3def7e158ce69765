/** Roles that imitate their own turns. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import type { TurnPlace } from "../../composition/roles.ts";
import { tokenStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";

const AUTO_ACT_ROLES = ["planner", "tool-user", "reflector"] as const;

function roleOf({ turn, results }: TurnPlace): string {
  if (turn === 0) return "planner";
  return results.some(({ ok }) => !ok) ? "reflector" : "tool-user";
}

/**
 * AutoAct: runs that succeeded are shared out among a planner, a tool user and a reflector, each an adapter
 * that learns its own turns.
 *
 * Source: Qiao et al. 2024, "AUTOACT: Automatic Agent Learning from Scratch via Self-Planning",
 * arXiv:2401.05268.
 * Differs from it: runs are the demonstrator's, not planned by the model itself; the planner has the first
 * turn, the reflector those after a failed call.
 * Why: a nano model cannot plan from nothing, and who has which turn can be read off the record.
 */
const autoAct: CreateRecipe = recipe({
  name: "auto-act",
  literature: "AutoAct",
  differs: [
    "runs are the demonstrator's, not planned by the model itself",
    "the planner has the first turn, the reflector those after a failed call",
  ],
  mechanism: "partial",
  schedule: ["sft"],
  settings: { mistakes: 0.3, steps: 25, learningRate: 3e-3 },
  stages: ({ mistakes, steps, learningRate }) => [
    tokenStage({
      rollout: parts.demos(mistakes),
      filters: [parts.success()],
      losses: [parts.maskedCrossEntropy()],
      state: { "role-adapters": parts.roleAdapters(AUTO_ACT_ROLES, { roleOf }) },
      steps,
      settings: { tasksPerStep: 48, learningRate },
    }),
  ],
});

const MEMBERS = ["generator", "critic", "judge"] as const;

/**
 * Multiagent fine-tuning: members of a debate answer one after the other, and each learns its own answers of
 * those that were right, so that they stay different.
 *
 * Source: Subramaniam et al. 2025, "Multiagent Finetuning: Self Improvement with Diverse Reasoning Chains",
 * arXiv:2501.05707.
 * Differs from it: right is what the verifier says, not what the majority does.
 * Why: verifiers are exact, a majority of nano models is not.
 */
const multiagentFineTuning: CreateRecipe = recipe({
  name: "multiagent-fine-tuning",
  literature: "Multiagent fine-tuning",
  differs: ["right is what the verifier says, not what the majority does"],
  mechanism: "partial",
  schedule: ["rounds"],
  settings: { debates: 4, steps: 6, rounds: 3, learningRate: 3e-3 },
  stages: ({ debates, steps, learningRate }) => [
    tokenStage({
      rollout: parts.teamOf({ how: "relay", roles: MEMBERS, size: debates }),
      filters: [parts.success()],
      losses: [parts.crossEntropy()],
      state: { "role-adapters": parts.roleAdapters(MEMBERS) },
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});

const PREREQ_TUNE_ROLES = ["knowledge", "skill"] as const;

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
const prereqTune: CreateRecipe = recipe({
  name: "prereq-tune",
  literature: "Prereq-Tune",
  differs: [
    "knowledge is which calls there are to make, skill is to answer with what they said",
    "the skill starts from the knowledge's weights in place of being added to them",
  ],
  mechanism: "partial",
  schedule: ["stages"],
  settings: { knowledgeSteps: 8, steps: 15, learningRate: 3e-3 },
  stages: ({ knowledgeSteps, steps, learningRate }) =>
    PREREQ_TUNE_ROLES.map((role) =>
      tokenStage({
        name: role,
        rollout: parts.demos(),
        filters: [
          parts.stepMask(({ toolCalls }) => toolCalls.length > 0 === (role === "knowledge")),
        ],
        losses: [parts.crossEntropy()],
        state: {
          "role-adapters": parts.roleAdapters(PREREQ_TUNE_ROLES, {
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

/**
 * Momentum interpolation: a slow average of the weights follows what is fine-tuned, and is what is used.
 *
 * Source: Stojanovski et al. 2022, "Momentum-based Weight Interpolation of Strong Zero-Shot Models for
 * Continual Learning", arXiv:2211.03186.
 * Differs from it: adapters are averaged factor by factor; levels of difficulty follow each other in place of
 * data sets.
 * Why: what pages load is an adapter of the same rank, and levels are what one environment has in place of data
 * sets.
 */
const momentumInterpolation: CreateRecipe = recipe({
  name: "momentum-interpolation",
  literature: "Momentum interpolation",
  differs: [
    "adapters are averaged factor by factor",
    "levels of difficulty follow each other in place of data sets",
  ],
  mechanism: "whole",
  schedule: ["rounds"],
  settings: { decay: 0.9, steps: 10, rounds: 2, learningRate: 3e-3 },
  stages: ({ decay, steps, learningRate }) =>
    [0, 1].map((difficulty) =>
      tokenStage({
        name: difficulty === 0 ? "easy" : "all",
        rollout: parts.demos(),
        losses: [parts.crossEntropy()],
        state: { "slow-copy": parts.averagedCopy(decay) },
        steps,
        settings: { tasksPerStep: 32, learningRate, difficulty },
      }),
    ),
});

const CMAT_ROLES = ["assistant", "checker"] as const;

/**
 * CMAT: an assistant answers, a checker reads the answer and answers again; what the environment confirmed
 * of either is imitated by the one policy that plays both, and remembered for requests like it.
 *
 * Source: Liang et al. 2024, "CMAT: A Multi-Agent Collaboration Tuning Framework for Enhancing Small Language
 * Models", arXiv:2404.01663.
 * Differs from it: the environment says what is right, the checker has no word in it; the memory is text
 * that is recalled by shared words; the user is the task.
 * Why: verifiers are exact, and a memory by shared words needs no second model.
 */
const cmat: CreateRecipe = recipe({
  name: "cmat",
  literature: "CMAT",
  differs: [
    "the environment says what is right, the checker has no word in it",
    "the memory is text that is recalled by shared words",
    "the user is the task",
  ],
  mechanism: "partial",
  schedule: ["rounds"],
  settings: { teams: 4, recalled: 2, least: 0.5, steps: 6, rounds: 3, learningRate: 3e-3 },
  stages: ({ teams, recalled, least, steps, learningRate }) => [
    tokenStage({
      rollout: parts.teamOf({
        how: "relay",
        roles: CMAT_ROLES,
        size: teams,
        sentences: { checker: "Check the answer." },
      }),
      filters: [parts.remembered(least), parts.success()],
      reward: parts.outcome(),
      losses: [parts.crossEntropy()],
      state: { "memory-bank": parts.workingMemory(recalled) },
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});

export const ROLE_RECIPES: readonly CreateRecipe[] = [
  autoAct,
  multiagentFineTuning,
  prereqTune,
  momentumInterpolation,
  cmat,
];
