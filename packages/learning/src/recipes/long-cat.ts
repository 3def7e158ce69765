/**
 * LongCat, DORA: a specialist for each domain is reinforced in noisy environments by a policy that lags behind, and
 * the specialists become one model.
 *
 * Source: "LongCat-Flash-Thinking-2601 Technical Report" (S214).
 * Differs from it: domains are environments whose tools fail and environments that are short of calls and turns; the
 * lag is fixed; changes are averaged.
 * Why: these are the domains in which one environment's environments can differ; a fixed lag can be repeated from a
 * seed.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { mergeStage, rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
/** What makes each domain hard. */
const DOMAINS = {
  faulty: { toolBudget: { from: 8, to: 8 }, turnBudget: { from: 9, to: 9 } },
  short: { toolBudget: { from: 2, to: 4 }, turnBudget: { from: 3, to: 5 } },
} as const;

export const longCat: CreateRecipe = recipe({
  name: "long-cat",
  literature: "LongCat / DORA",
  differs: [
    "domains are environments whose tools fail and environments that are short of calls and turns",
    "the lag is fixed",
    "changes are averaged",
  ],
  schedule: ["specialist-merge"],
  settings: { groupSize: 8, epsilon: 0.2, lag: 2, mostFaults: 0.3, steps: 12, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, lag, mostFaults, steps, learningRate }) => [
    mergeStage({
      rollout: parts.weights(),
      members: (["faulty", "short"] as const).map((domain) => {
        const faultRate = { from: 0, to: domain === "faulty" ? mostFaults : 0 };
        const environments = parts.randomEnvironments({ ...DOMAINS[domain], faultRate }, groupSize);
        return [
          rewardStage({
            name: domain,
            rollout: parts.asynchronous(environments),
            filters: [parts.mixedGroup()],
            reward: parts.outcome(),
            advantage: parts.groupAdvantage(),
            losses: [parts.pgClip(epsilon)],
            steps,
            settings: { tasksPerStep: 12, learningRate, lag },
          }),
        ];
      }),
      how: parts.averagedDeltas(),
      state: { delta: parts.deltas },
    }),
  ],
});
