/**
 * The page of a study: the positions in the literature, the results at this scale, and their uncertainty. It is
 * generated from the recorded runs alone.
 */
import { mean, standardError, twoSidedSignFlipTest } from "@waggle/evaluation";
import type { ControlLog } from "../evidence/control-log.ts";
import { controlWords } from "../evidence/control-words.ts";
import type { TrialRun } from "../trials/trial.ts";
import { atEqualKl } from "./equal-kl.ts";
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

const WORDS: { readonly [measure in Measure]: string } = {
  success: "success, %",
  toolCalls: "calls per trajectory",
  easiest: "easiest tasks, %",
  hardest: "hardest tasks, %",
  kl: "KL from the base, nats per token",
};

/** The measure's name in tables. */
export function measureWords(measure: Measure): string {
  return WORDS[measure];
}

function valueOf(run: TrialRun, measure: Measure): number {
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

/** @param picture - path of the figure, relative to the page */
export function studyPage(
  study: Study,
  runs: readonly TrialRun[],
  picture: string,
  controls: ControlLog,
): string {
  const seeds = wholeSeeds(study, runs);
  const comparisons = compared(study, runs);
  const base = runs.filter(({ seed }) => seeds.includes(seed)).map((run) => 100 * run.base);
  return [
    `# ${study.question}`,
    "",
    `**${answer(study, runs)}**`,
    "",
    `![${study.question}](${picture})`,
    "",
    `| arm | ${study.measures.map((measure) => `${WORDS[measure]} | difference | p`).join(" | ")} | tokens | seconds |`,
    `|${"---|".repeat(3 + 3 * study.measures.length)}`,
    ...study.arms.map(({ name }) => {
      const cells = study.measures.map((measure) => {
        const found = comparisons.find(
          (one) => one.arm === name && one.measure === measure,
        ) as Comparison;
        const own = `${found.mean.toFixed(digits(measure))} ± ${found.error.toFixed(digits(measure))}`;
        if (name === study.arms[0].name) return `${own} | | `;
        return `${own} | ${signed(found.difference, digits(measure))} ± ${found.differenceError.toFixed(digits(measure))} | ${found.pValue.toFixed(2)}`;
      });
      const of = runs.filter((run) => run.arm === name && seeds.includes(run.seed));
      const tokens = mean(of.map(({ sampledTokens }) => sampledTokens));
      const seconds = mean(of.map((run) => run.seconds));
      return `| ${name} | ${cells.join(" | ")} | ${Math.round(tokens).toLocaleString("en")} | ${seconds.toFixed(0)} |`;
    }),
    "",
    controlWords(study.environment, successes(study, runs), controls),
    "",
    `Command: \`npm run study -- ${study.name}\`. Runs: [\`${study.name}-runs.jsonl\`](${study.name}-runs.jsonl).`,
    "",
    "## What was compared",
    "",
    "The literature disagrees. Positions, with the papers that take them:",
    "",
    ...study.sides.map(({ says, sources }) => `- ${capital(says)}: ${sources}.`),
    "",
    `All arms run in \`${study.environment}\`, with the environment's own base model, ${seeds.length} seeds and ${study.tokens.toLocaleString("en")} sampled or demonstrated tokens per run.`,
    `The base solves ${mean(base).toFixed(1)} % of the held-out tasks. Figures are means ± standard errors over seeds. Differences are to *${study.arms[0].name}*,`,
    "seed by seed; p is from a two-sided sign-flip test over seeds (with five seeds it cannot be below 0.06).",
    "",
    ...underspent(study, runs, seeds),
    ...(study.limits.length === 0
      ? []
      : ["Limits:", "", ...study.limits.map((limit) => `- ${limit}`), ""]),
    ...equalKl(study, runs, seeds),
  ].join("\n");
}

/** Mean success of each arm over the common seeds. */
function successes(study: Study, runs: readonly TrialRun[]): { name: string; success: number }[] {
  const seeds = wholeSeeds(study, runs);
  return study.arms.map(({ name }) => {
    const own = runs.filter((run) => run.arm === name && seeds.includes(run.seed));
    return { name, success: mean(own.map(({ final }) => final)) };
  });
}

/**
 * Compares every other arm with the line of the arms that the study names; empty if it names none.
 */
function equalKl(
  { arms, measures: [measure], atEqualKl: line }: Study,
  runs: readonly TrialRun[],
  seeds: readonly number[],
): string[] {
  if (line === undefined) return [];
  const names = line.map(({ name }) => name);
  const others = arms.map(({ name }) => name).filter((name) => !names.includes(name));
  const rows = atEqualKl({ line: names, arms: others, seeds }, runs, (run) =>
    valueOf(run, measure),
  );
  const places = digits(measure);
  return [
    "## At equal KL",
    "",
    `For each seed, ${names.map((name) => `*${name}*`).join(", ")} give a line from KL to the result (${WORDS[measure]}).`,
    "The table compares the other arms with that line at their own KL.",
    "",
    `| arm | KL | ${WORDS[measure]} | on the line | difference | p |`,
    "|---|---|---|---|---|---|",
    ...rows.map(
      (row) =>
        `| ${row.arm} | ${row.kl.toFixed(3)} | ${row.value.toFixed(places)} | ${row.expected.toFixed(places)} | ${signed(row.difference, places)} ± ${row.error.toFixed(places)} | ${row.pValue.toFixed(2)} |`,
    ),
    "",
  ];
}

/** Names the arms that ended before they used their budget. */
function underspent(
  { arms, tokens }: Study,
  runs: readonly TrialRun[],
  seeds: readonly number[],
): string[] {
  const short = arms.flatMap(({ name }) => {
    const own = runs.filter((run) => run.arm === name && seeds.includes(run.seed));
    const spent = mean(own.map(({ sampledTokens }) => sampledTokens));
    return spent < LEAST_SPENT * tokens
      ? [`*${name}* (${Math.round(100 * (spent / tokens))} %)`]
      : [];
  });
  return short.length === 0
    ? []
    : [`Not at equal budget: ${short.join(", ")} ended before using it.`, ""];
}

/** With fewer seeds, no sign-flip test reaches the level. */
const LEAST_SEEDS = 5;
/** Share of the budget: an arm ends with the first step that exceeds it. */
const LEAST_SPENT = 0.95;
/** Two-sided; with five seeds that all agree, p is 0.06. */
const LEVEL = 0.1;

/** The result of the first measure, in one sentence. */
export function answer(study: Study, runs: readonly TrialRun[]): string {
  const [measure] = study.measures;
  const seeds = wholeSeeds(study, runs).length;
  if (seeds < LEAST_SEEDS) return `No answer yet: ${seeds} of at least ${LEAST_SEEDS} seeds.`;
  const comparisons = compared(study, runs);
  const others = comparisons.filter(
    (one) => one.measure === measure && one.arm !== study.arms[0].name,
  );
  const apart = others.filter(({ pValue }) => pValue <= LEVEL);
  if (apart.length === 0) {
    return `No arm differs significantly from *${study.arms[0].name}* (${WORDS[measure]}; none has p ≤ ${LEVEL} over ${seeds} seeds).`;
  }
  const clauses = apart.map(
    ({ arm, difference }) => `*${arm}* ${signed(difference, digits(measure))}`,
  );
  return `Compared with *${study.arms[0].name}*: ${clauses.join(", ")} (${WORDS[measure]}; p ≤ ${LEVEL} over ${seeds} seeds).`;
}

function digits(measure: Measure): number {
  if (measure === "kl") return 3;
  return measure === "toolCalls" ? 2 : 1;
}

function signed(value: number, places: number): string {
  return `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(places)}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
