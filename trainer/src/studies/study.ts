/**
 * A question on which the literature disagrees, as arms that differ only in that question. Every
 * arm has the same token budget, sampled or demonstrated. Neither a runner nor an answer.
 *
 * The questions are those of the project's founding catalogue, "Where sources disagree".
 */
import { environmentNamed, type EnvironmentSpec } from "@waggle/environments";
import {
  type ArrangementName,
  type Recipe,
  recipe,
  recipeNamed,
  type Settings,
  type Stage,
} from "@waggle/learning";
import type { Experiment } from "../trials/trial.ts";

/** Measures on held-out tasks after the budget is spent. */
export type Measure =
  /** Share of tasks solved. */
  | "success"
  /** Tool calls per trajectory. */
  | "toolCalls"
  /** Share solved of the easiest tasks. */
  | "easiest"
  /** Share solved of the hardest tasks. */
  | "hardest"
  /** KL from the base, in nats per token. */
  | "kl";

/** One side of a question: a recipe and how its stages share the budget. */
export type Arm = {
  /** Name in tables and figures; unique in its study. */
  readonly name: string;
  readonly recipe: Recipe;
  /** Each stage's share of the budget in a round; the shares sum to 1. */
  readonly shares: readonly number[];
};

/** A question, its published positions and its arms. */
export type Study = {
  /** The name on the command line, such as `sft-before-rl`. */
  readonly name: string;
  readonly question: string;
  /** The published claims on both sides. */
  readonly sides: readonly { readonly says: string; readonly sources: string }[];
  /** Name of the environment. */
  readonly environment: string;
  /** The arguments that run it; default: its name. */
  readonly command?: string;
  /** The command that measures its base at other temperatures; default: that of the built-in environments. */
  readonly controlCommand?: string;
  /** Token budget of one run: sampled and demonstrated tokens. */
  readonly tokens: number;
  /** The first arm is the reference for the others. */
  readonly arms: readonly [Arm, Arm, ...Arm[]];
  /** The first measure decides. */
  readonly measures: readonly [Measure, ...Measure[]];
  /** For comparisons at equal KL: the arms whose KL and first measure define the line. */
  readonly atEqualKl?: readonly [Arm, Arm, ...Arm[]];
  /** Simplifications, and the reasons for them. */
  readonly limits: readonly string[];
};

/** An arm with its own stages, each with its share of the budget. */
export function arm(
  name: string,
  schedule: readonly ArrangementName[],
  ...stages: readonly (readonly [stage: Stage, share: number])[]
): Arm {
  const create = recipe({
    name,
    literature: {
      recipe: name,
      paper: "an arm of a study of this project",
      system: null,
      table: "policy-gradient",
      parts: {},
      difference: "",
    },
    differs: [],
    schedule,
    settings: {},
    stages: () => stages.map(([stage]) => stage),
  });
  return { name, recipe: create(), shares: stages.map(([, share]) => share) };
}

/** A recipe of the catalogue; its stages have equal shares. */
export function catalogued(name: string, recipeName: string, settings: Settings = {}): Arm {
  const built = recipeNamed(recipeName)(settings);
  return { name, recipe: built, shares: built.stages.map(() => 1 / built.stages.length) };
}

/** The study in another environment, with files of its own. @param source - names it on the command line. */
export function studyIn(study: Study, { name }: EnvironmentSpec, source: string): Study {
  return {
    ...study,
    name: `${study.name}-${name}`,
    environment: name,
    command: `${study.name} --env ${source}`,
    controlCommand: `waggle evaluate --env ${source} --model <base> --versions 0 --temperatures 0,0.5`,
  };
}

/** The study as an experiment to run with these seeds. @param spec - default: the study's own environment. */
export function experimentOf(
  study: Study,
  seeds: readonly number[],
  spec: EnvironmentSpec = environmentNamed(study.environment),
): Experiment {
  const probes = [
    { name: "easiest", spec: ofLevel(spec, 0) },
    { name: "hardest", spec: ofLevel(spec, spec.levels - 1) },
  ];
  return {
    arms: study.arms.map((each) => ({ ...each, spec })),
    seeds,
    evaluationTasks: 150,
    probes: probes.filter(({ name }) => study.measures.some((measure) => measure === name)),
    budget: { sampledTokens: study.tokens, toolCalls: Number.MAX_SAFE_INTEGER },
    measuresKl: study.measures.includes("kl"),
  };
}

/** The environment with tasks of one level only. */
function ofLevel(spec: EnvironmentSpec, level: number): EnvironmentSpec {
  return {
    ...spec,
    levels: 1,
    reference: (seed, split) => spec.reference(seed, split, level),
  };
}
