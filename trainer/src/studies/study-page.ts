/**
 * The page of a study: the positions in the literature, the results at this scale, and their uncertainty. It is
 * generated from the recorded runs alone.
 */
import { mean } from "@waggle/evaluation";
import type { ControlLog } from "../evidence/control-log.ts";
import { controlText } from "../evidence/control-text.ts";
import type { TrialRun } from "../trials/trial.ts";
import { atEqualKl } from "./equal-kl.ts";
import type { Measure, Study } from "./study.ts";
import { answer, compared, type Comparison, digits, valueOf, wholeSeeds } from "./study-results.ts";

const WORDS: { readonly [measure in Measure]: string } = {
  success: "success, %",
  toolCalls: "calls per trajectory",
  easiest: "easiest tasks, %",
  hardest: "hardest tasks, %",
  kl: "KL from the base, nats per token",
};

/** The measure's name in tables. */
export function measureText(measure: Measure): string {
  return WORDS[measure];
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
    controlText(study.environment, successes(study, runs), controls, study.controlCommand),
    "",
    `Command: \`npm run study -- ${study.command ?? study.name}\`. Runs: [\`${study.name}-runs.jsonl\`](${study.name}-runs.jsonl).`,
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

/** Share of the budget: an arm ends with the first step that exceeds it. */
const LEAST_SPENT = 0.95;

function signed(value: number, places: number): string {
  return `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(places)}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
