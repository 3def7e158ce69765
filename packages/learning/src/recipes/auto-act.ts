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
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import type { TurnPlace } from "../composition/roles.ts";

const ROLES = ["planner", "tool-user", "reflector"] as const;

function roleOf({ turn, results }: TurnPlace): string {
  if (turn === 0) return "planner";
  return results.some(({ ok }) => !ok) ? "reflector" : "tool-user";
}

export const autoAct: CreateRecipe = recipe({
  name: "auto-act",
  literature: "AutoAct",
  differs: [
    "runs are the demonstrator's, not planned by the model itself",
    "the planner has the first turn, the reflector those after a failed call",
  ],
  schedule: ["sft"],
  settings: { mistakes: 0.3, steps: 25, learningRate: 3e-3 },
  stages: ({ mistakes, steps, learningRate }) => [
    tokenStage({
      rollout: parts.demos(mistakes),
      filters: [parts.success()],
      losses: [parts.maskedCrossEntropy()],
      state: { "role-adapters": parts.roleAdapters(ROLES, { roleOf }) },
      steps,
      settings: { tasksPerStep: 48, learningRate },
    }),
  ],
});
