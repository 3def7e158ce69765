/**
 * Two merged specialists, compared with one model trained on everything with the sum of their
 * budgets.
 */
import { groupReinforcement, mergeStage } from "@waggle/learning";
import * as parts from "@waggle/learning/parts";
import { type Arm, arm, type Study } from "./study.ts";

const CRUMBS = parts.breadcrumbs({ smallest: 0.85, largest: 0.01 }, 1);
const plain = { groupSize: 8, steps: 10, learningRate: 3e-3 };

/** A merge that solves fewer of these tasks than the better specialist is discarded. */
const GATE = { tasks: 50, share: 0.2 } as const;

function merged(name: string, how: ReturnType<typeof parts.reinforced>, isGated = false): Arm {
  const stage = mergeStage({
    ...(isGated ? { gate: GATE } : {}),
    rollout: parts.weights(),
    members: [
      [groupReinforcement({ ...plain, difficulty: 0 })],
      [groupReinforcement({ ...plain, difficulty: 1 })],
    ],
    how,
    state: { delta: parts.deltas },
  });
  return arm(name, ["post-merge"], [stage, 1]);
}

export const merging: Study = {
  name: "merging",
  question: "Do merged specialists beat one model trained on everything?",
  sides: [
    {
      says: "the merged model surpasses its parents",
      sources: "RAM, Model Breadcrumbs (7 to 8 B)",
    },
    { says: "no gain in small models", sources: "merges at 1.7 B" },
  ],
  environment: "calculator",
  tokens: 32_000,
  arms: [
    arm("one model", ["one"], [groupReinforcement({ ...plain, steps: 10 }), 1]),
    merged("RAM", parts.reinforced(0.1)),
    merged("breadcrumbs", CRUMBS),
    merged("mean", parts.averagedDeltas()),
    merged("mean, gated", parts.averagedDeltas(), true),
    merged("breadcrumbs, gated", CRUMBS, true),
  ],
  measures: ["success", "easiest", "hardest"],
  limits: [
    "each specialist has half of the budget; with a gate two fifths, and the rest is for the tasks that decide about the merge",
    "adapters are merged factor by factor, and both specialists change every entry, so RAM equals the mean",
  ],
};
