/**
 * CastFlow: in imitation and in reinforcement only the specialist role is trained, what plans and
 * sums up is not.
 *
 * Source: "CastFlow: Learning Role-Specialized Agentic Workflows for Time Series Forecasting"
 * (S105).
 * Differs from it: the specialist is the turns that call, in one conversation.
 * Why: one conversation needs no second context, and who calls is seen in the record.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";
import type { JudgedTurn } from "../composition/judged-trajectory.ts";
import { groupReinforcement } from "./group-reinforcement.ts";

const isSpecialist = ({ toolCalls }: JudgedTurn): boolean => toolCalls.length > 0;

export const castFlow: CreateRecipe = recipe({
  name: "cast-flow",
  literature: "CastFlow",
  differs: ["the specialist is the turns that call, in one conversation"],
  schedule: ["sft-rl"],
  settings: { groupSize: 8, epsilon: 0.2, startSteps: 5, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate }) => [
    demonstrationStart({
      steps: startSteps,
      learningRate,
      filters: [parts.stepMask(isSpecialist)],
    }),
    groupReinforcement({
      groupSize,
      loss: parts.spanMask(parts.pgClip(epsilon), isSpecialist),
      steps,
      learningRate,
    }),
  ],
});
