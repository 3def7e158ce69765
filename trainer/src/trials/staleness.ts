/**
 * Does learning survive samplers that are 1, 4 and 8 steps old, and does it need a correction for
 * that? The lag is forced: step n samples from the parameters of step n − lag.
 *
 * Settings were chosen on seeds 101 to 103, at lags 0 and 8 (rates 1e-3 to 1e-2, four corrections);
 * the expectations below were committed before any run with the seeds of the trial.
 */
import { environmentNamed, type EnvironmentSpec } from "@waggle/environments";
import { type LossPart, type Recipe, recipe, rewardStage } from "@waggle/learning";
import * as parts from "@waggle/learning/parts";
import type { Trial, TrialArm, TrialRun } from "./trial.ts";

const LAGS = [1, 4, 8] as const;
const CORRECTIONS = {
  /**
   * The ratio is relative to the parameters at the start of the step, whichever version sampled.
   */
  none: (): LossPart => parts.pgClip(0.2),
  /** Each token is weighted by its ratio, at most 2. */
  token: (): LossPart => parts.truncatedImportance(parts.pgClip(0.2), 2),
  /** Each token is weighted by the ratio of its sequence, at most 1. */
  sequence: (): LossPart => parts.truncatedImportance(parts.pgClip(0.2), 1, "sequence"),
} as const;
type Correction = keyof typeof CORRECTIONS;
/** At lag 0 every ratio is 1: all corrections are the same. */
const FRESH = "lag 0";

function nameOf(lag: number, correction: Correction): string {
  return `lag ${lag}, ${correction === "none" ? "no correction" : `${correction} weights`}`;
}

function laggingRecipe(name: string, lag: number, correction: Correction): Recipe {
  return recipe({
    name,
    literature: {
      recipe: "GRPO",
      paper: "an arm of a trial of this project",
      system: null,
      table: "policy-gradient",
      parts: {},
      difference: "",
    },
    differs: [],
    schedule: ["one"],
    settings: {},
    stages: () => [
      rewardStage({
        rollout: parts.asynchronous(parts.group(8)),
        reward: parts.outcome(),
        advantage: parts.groupAdvantage({ scale: "none" }),
        losses: [CORRECTIONS[correction]()],
        steps: 40,
        settings: { tasksPerStep: 8, learningRate: 3e-3, lag },
      }),
    ],
  })();
}

const spec: EnvironmentSpec = environmentNamed("strings");
const arms: readonly TrialArm[] = [
  { name: FRESH, recipe: laggingRecipe(FRESH, 0, "none"), spec },
  ...LAGS.flatMap((lag) =>
    (Object.keys(CORRECTIONS) as Correction[]).map((correction) => {
      const name = nameOf(lag, correction);
      return { name, recipe: laggingRecipe(name, lag, correction), spec };
    }),
  ),
];

const gain = ({ base, final }: TrialRun): number => final - base;

export const staleness: Trial = {
  name: "staleness",
  question:
    "Does learning survive samplers that are 1, 4 and 8 steps old, and does it need a correction?",
  arms,
  seeds: [1, 2, 3, 4, 5, 6, 7, 8],
  evaluationTasks: 200,
  probes: [],
  expected: [
    ...LAGS.map((lag) => ({
      says: `at lag ${lag}, sequence weights end above the base`,
      difference: (of: (arm: string) => TrialRun) => gain(of(nameOf(lag, "sequence"))),
      direction: "above" as const,
      limit: 0.01,
    })),
    ...(["sequence", "token"] as const).map((correction) => ({
      says: `at lag 8, no correction ends below ${correction} weights`,
      difference: (of: (arm: string) => TrialRun) =>
        of(nameOf(8, correction)).final - of(nameOf(8, "none")).final,
      direction: "above" as const,
      limit: 0.01,
    })),
    {
      says: "at lag 8, no correction ends below lag 0",
      difference: (of) => of(FRESH).final - of(nameOf(8, "none")).final,
      direction: "above",
      limit: 0.01,
    },
    {
      says: "at lag 1, no correction loses at most 5 points against sequence weights",
      difference: (of) => of(nameOf(1, "none")).final - of(nameOf(1, "sequence")).final,
      direction: "not-below",
      limit: 0.05,
    },
  ],
};
