/** The evidence page of one recipe: the paper, the results over seeds, and whether they show learning. */
import { mean } from "@waggle/evaluation";
import type { Recipe } from "@waggle/learning";
import { generationText } from "./generation-text.ts";
import { percentSpread, pointSpread, points, pText, whole } from "./numbers.ts";
import { temperatureName } from "../evaluation/temperature.ts";
import type { BestTemperature, RecipeSummary } from "./recipe-summary.ts";

/** Significance level of the test of a whole table. */
const LEVEL = 0.01;

/** Explains the columns of every page. */
export const METRICS: readonly string[] = [
  "**base**, **trained**: share of held-out tasks that the untrained base and the trained policy solve, mean ± standard deviation over seeds. Each seed has its own held-out tasks.",
  "**T = 1**: sampled at temperature 1. **best T**: sampled at the temperature with the best average over seeds, among 1, 0.5 and greedy for the trained policy, and also 0.75 and 0.25 for the base; it is named in brackets. **greedy**: the most likely token at each step.",
  "**gain over control**: trained minus base, seed by seed, in percentage points, each at its best temperature.",
  "**p**: one-sided test for a gain over the control, a moderated t-test over seeds (`packages/evaluation/src/moderated-t.ts`), Holm-corrected over all recipes that were expected to learn.",
  "**against plain GRPO**: trained at temperature 1 minus `artist` with the same seed, budget and held-out tasks; p from a one-sided Student's t-test over seeds, not corrected.",
];

export function recipePage(
  recipe: Recipe,
  summary: RecipeSummary,
  reference: RecipeSummary | undefined,
  /** Base name of its files. */
  page: string,
  /** Describes the table's base; absent = the environment's default base. */
  base?: string,
): string {
  const { name, literature, differs, settings } = recipe;
  const { environment, runs } = summary;
  const [run] = runs;
  const generations = generationText(recipe, runs);
  const changed = Object.entries(run?.settings ?? {}).map(([key, value]) => `${key}=${value}`);
  return `${[
    `# ${name}: ${literature.recipe}`,
    `**${learnedText(summary)}** ${besideText(summary)}`,
    `![Held-out success over sampled tokens](${page}.svg)`,
    [
      `| | base, T = 1 | base, best T | base, greedy | trained, T = 1 | trained, best T | trained, greedy | gain over control | p | sampled tokens | tool calls | calls per task | CPU | time |`,
      `|${"---|".repeat(14)}`,
      row(name, summary),
      ...(reference === undefined || reference === summary
        ? []
        : [row("artist (plain GRPO)", reference)]),
    ].join("\n"),
    `${runs.length} seeds in \`${environment}\`, ${run?.evaluationTasks} held-out tasks each; budget ${whole(run?.budget.sampledTokens ?? 0)} sampled tokens and ${whole(run?.budget.toolCalls ?? 0)} tool calls.`,
    `Command: \`npm run evidence -- learning --only ${name}\`. A single run: \`npm run train -- --recipe ${name} --env ${environment}\`${base === undefined ? "." : `, from the default base. The runs here started from another base (${base}).`}`,
    ...activityText(summary),
    ...(generations === null ? [] : ["## From round to round", generations]),
    "## The recipe",
    `${literature.paper} (${literature.system}, table “${literature.table}”). ${literature.difference}`,
    "Differences from the paper:",
    [...differs, "a decoder of 0.3 M parameters in a small environment instead of a language model"]
      .map((line) => `- ${line}`)
      .join("\n"),
    `Settings: ${Object.entries(settings)
      .map(([key, value]) => `${key}=${value}`)
      .join(
        ", ",
      )}${changed.length === 0 ? "" : ` (chosen for this table: ${changed.join(", ")})`}.`,
    "## Columns",
    METRICS.map((line) => `- ${line}`).join("\n"),
  ].join("\n\n")}\n`;
}

/** How often the clip of the loss and the cap of importance weights had an effect. */
function activityText({ runs }: RecipeSummary): string[] {
  const share = (values: readonly (number | undefined)[]): string | null => {
    const measured = values.filter((value) => value !== undefined);
    return measured.length === 0 ? null : `${(100 * mean(measured)).toFixed(2)} %`;
  };
  const clipped = share(runs.map(({ clipFraction }) => clipFraction));
  const cut = share(runs.map(({ truncatedFraction }) => truncatedFraction));
  const sentences = [
    ...(clipped === null ? [] : [`The loss clipped ${clipped} of the tokens.`]),
    ...(cut === null
      ? []
      : [`Importance weights, which correct stale samples, were cut at ${cut} of the tokens.`]),
  ];
  return sentences.length === 0 ? [] : [sentences.join(" ")];
}

function row(name: string, summary: RecipeSummary): string {
  const { control, trained, gainOverControl, learned } = summary;
  return `| ${[
    name,
    percentSpread(summary.base),
    ...temperatureCells(control),
    percentSpread(summary.success),
    ...temperatureCells(trained),
    gainOverControl === null ? "–" : pointSpread(gainOverControl),
    learned === null ? "–" : pText(learned.adjusted),
    whole(summary.sampledTokens.mean),
    whole(summary.toolCalls.mean),
    summary.callsATask.mean.toFixed(2),
    `${summary.cpuSeconds.mean.toFixed(0)} s`,
    `${summary.seconds.mean.toFixed(0)} s`,
  ].join(" | ")} |`;
}

/** Success at the best temperature (with its name) and greedy. */
export function temperatureCells(found: BestTemperature | null): [best: string, greedy: string] {
  if (found === null) return ["not measured", "not measured"];
  const best = `${percentSpread(found.success)} (${temperatureName(found.temperature)})`;
  return [best, percentSpread(found.greedy)];
}

/** True for a recipe that beats its base at the base's best temperature. */
export function hasLearned({ learned }: RecipeSummary): boolean {
  return learned !== null && learned.adjusted <= LEVEL;
}

/** States in one or two sentences whether the recipe beats the control. */
function learnedText(summary: RecipeSummary): string {
  const { learned, gain, gainOverControl, sameAs, runs } = summary;
  if (sameAs.length > 0) {
    return `No evidence: the mechanism is inactive here, because with at least one seed the run equals that of ${sameAs.join(", ")}.`;
  }
  const atOne = `${points(gain.mean)} points compared with the base`;
  if (learned === null || gainOverControl === null) {
    return `No claim: ${runs.length} seeds so far. At temperature 1, the difference is ${atOne}.`;
  }
  const by = `${points(gainOverControl.mean)} points compared with the base at its best temperature (p = ${pText(learned.adjusted)})`;
  return hasLearned(summary)
    ? `Learns: ${by}.`
    : `No learning beyond temperature: ${by}. At temperature 1 alone, the difference is ${atOne}.`;
}

function besideText({ beside }: RecipeSummary): string {
  if (beside === null) return "";
  const by = `${points(beside.mean)} points (t = ${beside.t.toFixed(1)}, p = ${pText(beside.pValue)})`;
  if (beside.pValue <= 0.05)
    return `Better than plain GRPO at equal budget and temperature 1: ${by}.`;
  if (1 - beside.pValue <= 0.05)
    return `Worse than plain GRPO at equal budget and temperature 1: ${by}.`;
  return `No significant difference from plain GRPO at equal budget and temperature 1: ${by}.`;
}
