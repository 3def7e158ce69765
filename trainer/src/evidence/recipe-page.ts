/** The page of one recipe: what it is, what it did over its seeds, and whether that is learning. */
import type { Recipe } from "@waggle/learning";
import { percentSpread, pointSpread, points, pText, whole } from "./numbers.ts";
import type { RecipeSummary } from "./recipe-summary.ts";

/** Share of tables without any learning of which something would be claimed. */
const LEVEL = 0.01;

/** What the numbers of every page mean. */
export const METRICS: readonly string[] = [
  "**success**: share of held-out tasks solved with the policy at the end, drawn at temperature 1; mean ± deviation over seeds, each with held-out tasks of its own.",
  "**base**: the same tasks with the same draws and nothing learned, the control.",
  "**gain**: success less base, seed by seed, in percentage points.",
  "**p**: one-sided, of “no gain”, over seeds: moderated t (`packages/evaluation/src/moderated-t.ts`), corrected by Holm over all recipes that were expected to learn, those not run counted as not learning.",
  "**against plain GRPO**: success less that of `artist` with the same seed, budget and held-out tasks; p of “not above it”, Student's t over seeds, not corrected.",
  "**sampled tokens**, **tool calls**: what a run spent on rollouts, demonstrations included; no step begins beyond the budget.",
  "**CPU**, **time**: seconds of one run; other work took most of the machine meanwhile, so time is an upper bound.",
];

export function recipePage(
  { name, literature, differs, settings }: Recipe,
  summary: RecipeSummary,
  reference: RecipeSummary | undefined,
  /** What its files are called. */
  page: string,
): string {
  const { environment, runs } = summary;
  const [run] = runs;
  const changed = Object.entries(run?.settings ?? {}).map(([key, value]) => `${key}=${value}`);
  return `${[
    `# ${name}: ${literature.recipe}`,
    `${literature.paper} (${literature.system}, table “${literature.table}”). ${literature.difference}`,
    `**${learnedWords(summary)}** ${besideWords(summary)}`,
    `![Held-out success over sampled tokens](${page}.svg)`,
    [
      "| | base | success | gain | p | sampled tokens | tool calls | calls a task | CPU | time |",
      "|---|---|---|---|---|---|---|---|---|---|",
      row(name, summary),
      ...(reference === undefined || reference === summary
        ? []
        : [row("artist (plain GRPO)", reference)]),
    ].join("\n"),
    `${runs.length} seeds in \`${environment}\`, ${run?.evaluationTasks} held-out tasks each; budget ${whole(run?.budget.sampledTokens ?? 0)} sampled tokens and ${whole(run?.budget.toolCalls ?? 0)} tool calls.`,
    "## What differs from the paper",
    [...differs, "a decoder of 0.3 M parameters in a small world, in place of a language model"]
      .map((line) => `- ${line}`)
      .join("\n"),
    `Settings: ${Object.entries(settings)
      .map(([key, value]) => `${key}=${value}`)
      .join(
        ", ",
      )}${changed.length === 0 ? "" : ` (of these chosen for the table: ${changed.join(", ")})`}.`,
    "## Metrics",
    METRICS.map((line) => `- ${line}`).join("\n"),
    `Command: \`npm run evidence -- learning --only ${name}\`; one run by itself: \`npm run train -- --recipe ${name} --env ${environment}\`.`,
  ].join("\n\n")}\n`;
}

function row(name: string, summary: RecipeSummary): string {
  return `| ${[
    name,
    percentSpread(summary.base),
    percentSpread(summary.success),
    pointSpread(summary.gain),
    summary.learned === null ? "–" : pText(summary.learned.adjusted),
    whole(summary.sampledTokens.mean),
    whole(summary.toolCalls.mean),
    summary.callsATask.mean.toFixed(2),
    `${summary.cpuSeconds.mean.toFixed(0)} s`,
    `${summary.seconds.mean.toFixed(0)} s`,
  ].join(" | ")} |`;
}

export function hasLearned({ learned }: RecipeSummary): boolean {
  return learned !== null && learned.adjusted <= LEVEL;
}

function learnedWords(summary: RecipeSummary): string {
  const { learned, gain, runs } = summary;
  const by = `${points(gain.mean)} points over the base`;
  if (learned === null) return `${runs.length} seeds only so far: ${by}, nothing is claimed.`;
  if (hasLearned(summary)) return `Learns: ${by} (p = ${pText(learned.adjusted)}).`;
  if (gain.mean < 0) return `Does not learn at this scale: ${by}.`;
  return `Not shown to learn at this scale: ${by} (p = ${pText(learned.adjusted)}).`;
}

function besideWords({ beside }: RecipeSummary): string {
  if (beside === null) return "";
  const by = `${points(beside.mean)} points (t = ${beside.t.toFixed(1)}, p = ${pText(beside.pValue)})`;
  if (beside.pValue <= 0.05) return `Above plain GRPO at equal budget: ${by}.`;
  if (1 - beside.pValue <= 0.05) return `Below plain GRPO at equal budget: ${by}.`;
  return `An advantage over plain GRPO does not show at equal budget: ${by}.`;
}
