/** One model for everything, or several models that work on a task together. */
import { groupReinforcement, rewardStage } from "@waggle/learning";
import * as parts from "@waggle/learning/parts";
import { arm, catalogued, type Study } from "./study.ts";

const ROLES = ["caller", "answerer"] as const;
const shared = { steps: 10, settings: { tasksPerStep: 12, learningRate: 3e-3 } } as const;

/** Adapters that take turns in one conversation, each trained on its final reward. */
const takingTurns = rewardStage({
  rollout: parts.group(8),
  filters: [parts.mixedGroup()],
  reward: parts.outcome(),
  advantage: parts.groupAdvantage(),
  losses: [parts.pgClip()],
  state: {
    "role-adapters": parts.roleAdapters(ROLES, { roleOf: parts.takingTurns(ROLES) }),
  },
  ...shared,
});

export const oneModel: Study = {
  name: "one-model",
  question: "Does a pipeline of roles beat one model?",
  sides: [
    { says: "a pipeline", sources: "AgentFlow, Coalition, HierSearch" },
    { says: "one model", sources: "Chain-of-Agents, AutoCoA, OmniEAR" },
  ],
  environment: "calculator",
  tokens: 32_000,
  arms: [
    arm(
      "one model",
      ["one"],
      [groupReinforcement({ groupSize: 8, steps: 10, learningRate: 3e-3 }), 1],
    ),
    arm("roles that take turns", ["one"], [takingTurns, 1]),
    catalogued("drafter and checker", "marft", { steps: 10 }),
  ],
  measures: ["success", "toolCalls"],
  limits: [
    "roles are adapters over the same base, so all arms have models of the same size",
    "the base never saw a draft of another role, so a checker starts below one model",
  ],
};
