/**
 * Formal-methods ranking: specifications of temporal logic are checked on each output, and the one that
 * satisfies more is preferred.
 *
 * Source: Yang et al. 2023, "Fine-Tuning Language Models Using Formal Methods Feedback",
 * arXiv:2310.18239.
 * Differs from it: specifications are checked on the run itself, not on an automaton made of the answer;
 * the environment's verifier is one of them.
 * Why: a run is finite, so that what holds of it can be checked directly.
 */
import type { JudgedTrajectory, JudgedTurn } from "../composition/judged-trajectory.ts";
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { pairStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import {
  always,
  eventually,
  implies,
  now,
  type Specification,
  until,
} from "../rewards/specifications.ts";

const readable = now<JudgedTurn>(({ parseError }) => parseError === null);
const calls = now<JudgedTurn>(({ toolCalls }) => toolCalls.length > 0);
const answers = now<JudgedTurn>(({ toolCalls }) => toolCalls.length === 0);
const failed = now<JudgedTurn>(({ toolResults }) => toolResults.some(({ ok }) => !ok));
const ran = now<JudgedTurn>(
  ({ toolCalls, toolResults }) => toolCalls.length > 0 && toolResults.every(({ ok }) => ok),
);

/** What a run must do: be readable, act until it answers, mend what failed, end right. */
function specificationsOf({ verification }: JudgedTrajectory): Specification<JudgedTurn>[] {
  return [
    always(readable),
    until(calls, answers),
    always(implies(failed, eventually(ran))),
    () => verification.success,
  ];
}

export const formalMethods: CreateRecipe = recipe({
  name: "formal-methods",
  literature: "Formal-methods ranking",
  differs: [
    "specifications are checked on the run itself, not on an automaton made of the answer",
    "the environment's verifier is one of them",
  ],
  schedule: ["rounds"],
  settings: { attempts: 4, beta: 0.1, margin: 0.2, rounds: 2, steps: 12, learningRate: 3e-3 },
  stages: ({ attempts, beta, margin, steps, learningRate }) => [
    pairStage({
      rollout: parts.single(attempts),
      filters: [parts.pairGap(margin)],
      reward: parts.specifications(specificationsOf),
      losses: [parts.dpo(beta)],
      state: { ref: parts.reference },
      steps,
      settings: { tasksPerStep: 24, learningRate },
    }),
  ],
});
