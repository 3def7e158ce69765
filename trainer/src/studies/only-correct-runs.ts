/** Which demonstrations to imitate when a third of their decisions are wrong. */
import { demonstrationStart } from "@waggle/learning";
import * as parts from "@waggle/learning/parts";
import { arm, type Study } from "./study.ts";

const plain = { steps: 200, learningRate: 3e-3, mistakes: 0.3 };

export const onlyCorrectRuns: Study = {
  name: "only-correct-runs",
  question: "Should only successful runs be imitated?",
  sides: [
    { says: "yes, rejection sampling", sources: "FireAct, BrowserAgent" },
    {
      says: "no, failed runs teach too",
      sources: "Behavior Priming, EEF, FAFT, Orchard",
    },
  ],
  environment: "calculator",
  tokens: 32_000,
  arms: [
    arm("all runs", ["sft"], [demonstrationStart(plain), 1]),
    arm("correct runs", ["sft"], [demonstrationStart({ ...plain, filters: [parts.success()] }), 1]),
    arm(
      "steps without an error",
      ["sft"],
      [demonstrationStart({ ...plain, filters: [parts.stepMask()] }), 1],
    ),
    arm(
      "runs with good behavior",
      ["sft"],
      [demonstrationStart({ ...plain, filters: [parts.behavior(undefined, 3)] }), 1],
    ),
  ],
  measures: ["success"],
  limits: [
    "demonstrations that are left out count in the budget, because they cost as much to make",
  ],
};
