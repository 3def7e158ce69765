/** Should every rollout be planned, or only where an additional turn is worth its cost? */
import { catalogued, type Study } from "./study.ts";

export const planning: Study = {
  name: "planning",
  question: "Should an agent always plan?",
  sides: [
    { says: "a plan for every task", sources: "PilotRL, EnterpriseOps-Gym (oracle plans)" },
    {
      says: "plan only where it helps; always planning hurts long tasks",
      sources: "dynamic planning",
    },
  ],
  environment: "key-door",
  tokens: 90_000,
  arms: [
    catalogued("turns are free", "dynamic-planning", { turnCost: 0, steps: 10 }),
    catalogued("a turn costs 0.05", "dynamic-planning", { turnCost: 0.05, steps: 10 }),
    catalogued("a turn costs 0.2", "dynamic-planning", { turnCost: 0.2, steps: 10 }),
    catalogued("the plan is trained by itself", "pilot-rl", { steps: 4 }),
  ],
  measures: ["success", "toolCalls"],
  limits: [
    "the nano model cannot write plans; turns that look before they act stand in for plans, as does PilotRL's first turn",
  ],
};
