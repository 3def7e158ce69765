/**
 * First stages of many recipes: a few steps of cross-entropy on demonstrations by the environment's demonstrator, or
 * by several teachers with different error rates. Not a recipe.
 */
import type { FilterPart, LossPart } from "../../composition/part.ts";
import { type Stage, type StepSettings, tokenStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";

type DemonstrationStart = {
  readonly steps: number;
  readonly learningRate: number;
  /** Default `start`. */
  readonly name?: string;
  /** Share of the demonstrator's decisions made at random; default 0. */
  readonly mistakes?: number;
  /** Which demonstrations, and which of their turns, are learned; default all. */
  readonly filters?: readonly FilterPart[];
  /** Default cross-entropy of all their turns. */
  readonly loss?: LossPart;
  /** Difficulty level of the tasks, and how many tasks are repeated; default: all levels, each task once. */
  readonly tasks?: Pick<StepSettings, "difficulty" | "taskPool">;
};

/** A supervised stage on demonstrations, before a stage that learns from rewards. */
export function demonstrationStart(options: DemonstrationStart): Stage {
  const { steps, learningRate, name = "start", mistakes = 0, filters = [], loss, tasks } = options;
  return tokenStage({
    name,
    rollout: parts.demos(mistakes),
    filters,
    losses: [loss ?? parts.crossEntropy()],
    steps,
    settings: { tasksPerStep: 32, learningRate, ...tasks },
  });
}

type TeacherStart = Omit<DemonstrationStart, "mistakes"> & {
  /** Of the second of two teachers; the first makes none. */
  readonly secondMistakes: number;
};

export function teacherStart(options: TeacherStart): Stage {
  const {
    steps,
    learningRate,
    secondMistakes,
    name = "start",
    filters = [],
    loss,
    tasks,
  } = options;
  return tokenStage({
    name,
    rollout: parts.teacherDemos(),
    filters,
    losses: [loss ?? parts.crossEntropy()],
    state: { teacher: parts.demonstrators(0, secondMistakes) },
    steps,
    settings: { tasksPerStep: 16, learningRate, ...tasks },
  });
}
