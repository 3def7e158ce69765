/** Results of a study: each arm compared with the first, and the answer in plain sentences. Not its page. */
import { mean, standardError, twoSidedSignFlipTest } from "@waggle/evaluation";
import type { TrialRun } from "../trials/trial.ts";
import type { Measure, Study } from "./study.ts";

/** One arm's result on one measure. */
export type Comparison = {
  readonly arm: string;
  readonly measure: Measure;
  /** Means over seeds: of the arm, and of its difference to the first arm on the same seeds. */
  readonly mean: number;
  readonly error: number;
  readonly difference: number;
  readonly differenceError: number;
  /** Two-sided sign-flip test over seeds; 1 for the first arm. */
  readonly pValue: number;
};

export function valueOf(run: TrialRun, measure: Measure): number {
  if (measure === "success") return 100 * run.final;
  if (measure === "toolCalls") return run.toolCalls;
  if (measure === "kl") return run.kl ?? Number.NaN;
  return 100 * (run.probes[measure]?.final ?? Number.NaN);
}

/** @param runs - of seeds that every arm has */
export function compared(study: Study, runs: readonly TrialRun[]): Comparison[] {
  const seeds = wholeSeeds(study, runs);
  const valuesOf = (arm: string, measure: Measure): number[] =>
    seeds.map((seed) =>
      valueOf(runs.find((run) => run.arm === arm && run.seed === seed) as TrialRun, measure),
    );
  return study.measures.flatMap((measure) => {
    const first = valuesOf(study.arms[0].name, measure);
    return study.arms.map(({ name }, at) => {
      const values = valuesOf(name, measure);
      const differences = values.map((value, i) => value - (first[i] as number));
      return {
        arm: name,
        measure,
        mean: mean(values),
        error: standardError(values),
        difference: mean(differences),
        differenceError: standardError(differences),
        pValue: at === 0 ? 1 : twoSidedSignFlipTest(differences),
      };
    });
  });
}

/** Seeds with a run of every arm. */
export function wholeSeeds({ arms }: Study, runs: readonly TrialRun[]): number[] {
  const seeds = [...new Set(runs.map(({ seed }) => seed))].toSorted((a, b) => a - b);
  return seeds.filter((seed) =>
    arms.every(({ name }) => runs.some((run) => run.arm === name && run.seed === seed)),
  );
}

/** With fewer seeds, no sign-flip test reaches the level. */
const LEAST_SEEDS = 5;
/** Two-sided; with five seeds that all agree, p is 0.06. */
const LEVEL = 0.1;

/** The result of the first measure, in plain sentences. */
export function answer(study: Study, runs: readonly TrialRun[]): string {
  const [measure] = study.measures;
  const reference = study.arms[0].name;
  const seeds = wholeSeeds(study, runs).length;
  if (seeds < LEAST_SEEDS) return `No answer yet: ${seeds} of at least ${LEAST_SEEDS} seeds.`;
  const others = compared(study, runs).filter(
    (one) => one.measure === measure && one.arm !== reference,
  );
  const apart = others.filter(({ pValue }) => pValue <= LEVEL);
  const test = `p ≤ ${LEVEL}, ${seeds} seeds`;
  if (apart.length === 0) {
    return `No arm differs significantly from *${reference}* in ${DIFFERENCE_IN[measure]} (none has ${test}).`;
  }
  const sides = [
    { than: "more", arms: apart.filter(({ difference }) => difference > 0) },
    { than: "fewer", arms: apart.filter(({ difference }) => difference <= 0) },
  ].filter(({ arms }) => arms.length > 0);
  const sentences = sides.map(
    ({ than, arms }) =>
      `${subject(arms, others.length)} ${verb(measure, arms)} ${amounts(measure, arms)} ${than} ${UNITS[measure]} than *${reference}* (${test}).`,
  );
  const rest = apart.length < others.length ? ["No other arm differs significantly."] : [];
  return [...sentences, ...rest].join(" ");
}

const DIFFERENCE_IN: { readonly [measure in Measure]: string } = {
  success: "the share of tasks solved",
  toolCalls: "tool calls",
  easiest: "the share of the easiest tasks solved",
  hardest: "the share of the hardest tasks solved",
  kl: "KL from the base",
};

const UNITS: { readonly [measure in Measure]: string } = {
  success: "tasks",
  toolCalls: "calls per trajectory",
  easiest: "of the easiest tasks",
  hardest: "of the hardest tasks",
  kl: "nats of KL per token",
};

/** The names of the arms, or that these are all. */
function subject(arms: readonly Comparison[], others: number): string {
  if (arms.length === others && others > 1) return "All other arms";
  const names = arms.map(({ arm }) => `*${arm}*`);
  return names.length === 1 ? names.join() : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

function verb(measure: Measure, { length }: readonly Comparison[]): string {
  const isOne = length === 1;
  if (measure === "toolCalls") return isOne ? "makes" : "make";
  if (measure === "kl") return isOne ? "has" : "have";
  return isOne ? "solves" : "solve";
}

/** The size of the differences: one number, or the smallest and the largest. */
function amounts(measure: Measure, arms: readonly Comparison[]): string {
  const sizes = arms.map(({ difference }) => Math.abs(difference));
  const text = (size: number): string => size.toFixed(digits(measure));
  const [least, most] = [text(Math.min(...sizes)), text(Math.max(...sizes))];
  const points = measure === "toolCalls" || measure === "kl" ? "" : " points";
  return `${least === most ? least : `${least} to ${most}`}${points}`;
}

/** Decimals of the measure in tables and sentences. */
export function digits(measure: Measure): number {
  if (measure === "kl") return 3;
  return measure === "toolCalls" ? 2 : 1;
}
