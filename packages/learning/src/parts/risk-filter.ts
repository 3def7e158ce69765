/**
 * `risk-pred`: which tasks are worth a rollout is predicted from what they are, not measured by
 * rollouts at them first.
 */
import type { TaskReference } from "@waggle/protocol";
import type { FilterPart } from "../composition/part.ts";
import { kept, type StatePart } from "../composition/state.ts";
import {
  chooseByRisk,
  observeRisk,
  predictRisk,
  type RiskModel,
  riskModel,
} from "../filters/predicted-risk.ts";
import { meanOf } from "../statistics.ts";
import { filterPart } from "./filter-part.ts";

/** Levels of an environment's dial are 1 to 4 in number; seeds that agree modulo 12 are of one level. */
const CLASSES = 12;

/** `[13]` a constant and the class of the seed. */
function seedFeatures({ seed }: TaskReference): number[] {
  return [1, ...Array.from({ length: CLASSES }, (_, i) => (seed % CLASSES === i ? 1 : 0))];
}

/** A model of how hard tasks are. */
export function taskRisk(): StatePart<"task-stats"> {
  return kept("task-stats", () => riskModel(1 + CLASSES));
}

/** @param target difficulty (1 − pass rate) that is worth the most. */
export function riskPrediction(
  target = 0.5,
  featuresOf: (task: TaskReference) => readonly number[] = seedFeatures,
): FilterPart<"task-stats"> {
  return filterPart(
    "risk-pred",
    (groups, { state }) => {
      let model = state["task-stats"] as RiskModel;
      for (const { trajectories } of groups) {
        const task = trajectories[0]?.trajectory.record.task ?? null;
        if (task === null) continue;
        const passed = meanOf(trajectories.map(({ score }) => score.reward));
        model = observeRisk(model, featuresOf(task), 1 - passed);
      }
      return { groups, dropped: new Map(), state: { "task-stats": model } };
    },
    {
      needs: ["task-stats"],
      chooseTasks: (candidates, count, { state }) => {
        const model = state["task-stats"] as RiskModel;
        const predictions = predictRisk(
          model,
          candidates.map((task) => featuresOf(task)),
        );
        return chooseByRisk(predictions, count, { target }).map(
          (i) => candidates[i] as TaskReference,
        );
      },
    },
  );
}
