/**
 * RECAP: one conversation in several wordings, and the wording is preferred that planning profits from.
 *
 * Source: "RECAP: REwriting Conversations for Intent Understanding in Agentic Planning" (S276).
 * Differs from it: a wording is a sentence beside the request, and the policy that plans is the one that
 * learns; a judge of plans, made of calls and results, says what planning profits from.
 * Why: a judge made of the record needs no model, and only what is learned by one who acts changes what it
 * does.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { pairStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import { callsAndResults } from "./calls-and-results.ts";

const WORDINGS = ["Say what is wanted.", "Name the goal and its parts.", ""];
const RUBRIC = "Prefer the plan that does all that was asked, and nothing else.";

export const recap: CreateRecipe = recipe({
  name: "recap",
  literature: "RECAP",
  differs: [
    "a wording is a sentence beside the request, and the policy that plans is the one that learns",
    "a judge of plans, made of calls and results, says what planning profits from",
  ],
  schedule: ["one"],
  settings: { mistakes: 0.3, beta: 0.1, margin: 0.5, steps: 25, learningRate: 3e-3 },
  stages: ({ mistakes, beta, margin, steps, learningRate }) => [
    pairStage({
      rollout: parts.toldDemos(WORDINGS, { size: WORDINGS.length, mistakes }),
      filters: [parts.pairGap(margin)],
      reward: parts.judgedPreference((trajectory) => ({
        ...callsAndResults(trajectory),
        rubric: RUBRIC,
      })),
      losses: [parts.dpo(beta)],
      state: { ref: parts.reference, judge: parts.judgement },
      steps,
      settings: { tasksPerStep: 24, learningRate },
    }),
  ],
});
