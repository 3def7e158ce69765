/** The page over all recipes of a table, and what of it failed. */
import { holm } from "@waggle/evaluation";
import type { FailedRun } from "./arm.ts";
import { type DirectionSummary, LEVEL } from "./direction-summary.ts";
import { percent, percentSpread, pointSpread, points, pText, whole } from "./numbers.ts";
import { hasLearned, METRICS } from "./recipe-page.ts";
import type { RecipeSummary } from "./recipe-summary.ts";
import { type ClaimRound, type Expectations, pageName } from "./expectations.ts";

/** A round of claims, and what came of those that were run. */
type SummarizedRound = {
  readonly round: ClaimRound;
  readonly directions: readonly DirectionSummary[];
};

export function overviewPage(
  summaries: readonly RecipeSummary[],
  failures: readonly FailedRun[],
  rounds: readonly SummarizedRound[],
  expectations: Expectations,
  tableOf: (recipe: string) => string,
): string {
  const ordered = summaries.toSorted((a, b) => b.gain.mean - a.gain.mean);
  // The reference elsewhere is there to compare with, and counts once.
  const complete = ordered.filter(
    (summary) => summary.learned !== null && pageName(expectations, summary) === summary.recipe,
  );
  const learned = complete.filter(hasLearned);
  const tables = [...new Set(learned.map(({ recipe }) => tableOf(recipe)))];
  const below = complete.filter((one) => !hasLearned(one));
  const waiting = expectations.recipes.filter(
    ({ recipe }) => !complete.some((one) => one.recipe === recipe),
  );
  return `${[
    "# Recipes in small worlds",
    `\`npm run evidence -- learning\` runs the recipes of [expectations.json](expectations.json), which were committed before the runs, at equal budgets, and draws these pages from [runs.jsonl](runs.jsonl). It goes on where it was stopped; \`--report\` only draws, \`--smoke\` runs one seed of six recipes.`,
    complete.length === 0
      ? `No recipe has all ${expectations.seeds.length} seeds yet.`
      : `**${learned.length} of ${complete.length} recipes with all ${expectations.seeds.length} seeds end above the control without learning at 1 % after Holm's correction**, from ${tables.length} of the five tables (${tables.join(", ")}). ${below.length === 0 ? "" : `Not shown to learn: ${below.map(({ recipe, gain }) => `${recipe} (${points(gain.mean)} points)`).join(", ")}.`}`,
    METRICS.map((line) => `- ${line}`).join("\n"),
    timeWords(summaries),
    [
      "| recipe | table | environment | seeds | base | success | gain | p (Holm) | against plain GRPO (p) | sampled tokens | tool calls | CPU | time |",
      "|---|---|---|---|---|---|---|---|---|---|---|---|---|",
      ...ordered.map((summary) =>
        row(summary, tableOf(summary.recipe), pageName(expectations, summary)),
      ),
    ].join("\n"),
    expectations.chosen,
    "## What papers say beside plain GRPO",
    `Written down before they were run on seeds that nothing was chosen by. A claim holds where success less that of plain GRPO with the same seed and held-out tasks is above 0, or above −margin where “the same success” is claimed, at p ≤ ${LEVEL} (one-sided Student's t over seeds, Holm over the claims of a round), and where the cost is as small as it says. Plain GRPO has the same budget of sampled tokens and tool calls, or more where the claim is of a cost.`,
    ...togetherWords(rounds),
    ...rounds.flatMap(roundWords),
    "## The test",
    "Each seed has a learner, tasks, draws and held-out tasks of its own, so that differences of seeds are independent and what is claimed holds for other seeds. The base is tried on the same held-out tasks with the same draws. The differences of five seeds say little of their spread; the spreads of all recipes are put together by empirical Bayes (Smyth 2004), and p-values are corrected by Holm over all recipes of the expectations, run or not. Those not run over all seeds count as not learning. `packages/evaluation/src/table-tests.test.ts` simulates tables in which nothing is learned and finds the level held, and shows that shuffling tasks within seeds would not hold it.",
    ...(failures.length === 0
      ? []
      : ["## Failed", failures.map(({ key, error }) => `- \`${key}\`: ${error}`).join("\n")]),
    ...(waiting.length === 0
      ? []
      : [
          "## Not run over all seeds yet",
          `${waiting.map(({ recipe }) => recipe).join(", ")}. They were expected to learn too; nothing is said of them.`,
        ]),
  ].join("\n\n")}\n`;
}

/** How long single runs took: means hide the longest. */
function timeWords(summaries: readonly RecipeSummary[]): string {
  const spent = summaries.flatMap(({ runs }) => runs.map((run) => run.spent));
  const most = Math.max(0, ...spent.map(({ cpuSeconds }) => cpuSeconds));
  const long = spent.filter(({ seconds }) => seconds > 180).length;
  return `The longest of these ${spent.length} runs took ${most.toFixed(0)} s of CPU in all its threads; beside other work, ${long} took more than three minutes by the clock.`;
}

/** A claim that is tried again has another chance to hold: so all rounds are corrected together, too. */
function togetherWords(rounds: readonly SummarizedRound[]): string[] {
  const tried = rounds.flatMap(({ directions }) => directions);
  if (tried.length === 0) return [];
  const adjusted = holm(tried.map(({ test }) => test.pValue));
  const nameOf = (held: readonly DirectionSummary[]): string =>
    [...new Set(held.map(({ direction }) => direction.recipe))].join(", ") || "none";
  const inRound = tried.filter(({ holds }) => holds);
  const inAll = inRound.filter((one) => (adjusted[tried.indexOf(one)] ?? 1) <= LEVEL);
  return [
    `**${inRound.length} of ${tried.length} claims hold in their round**, of ${nameOf(inRound)}. Corrected over all rounds together, ${inAll.length} do: ${nameOf(inAll)}.`,
  ];
}

function roundWords({ round, directions }: SummarizedRound, at: number): string[] {
  const heading = `### Round ${at + 1}: seeds ${round.seeds.join(", ")}`;
  if (directions.length === 0) return [heading, round.chosen, "Not run over all seeds yet."];
  const held = directions.filter(({ holds }) => holds);
  return [
    heading,
    `${round.chosen} **${held.length} of ${directions.length} hold.**`,
    [
      "| claim | recipe | environment | success | plain GRPO | difference | margin | t | p (Holm) | cost of it | holds |",
      "|---|---|---|---|---|---|---|---|---|---|---|",
      ...directions.map(
        ({ direction, success, reference, difference, test, adjusted, cost, holds }) =>
          `| ${[
            direction.says,
            direction.recipe,
            direction.environment,
            percentSpread(success),
            percentSpread(reference),
            points(difference),
            direction.margin === 0 ? "–" : points(direction.margin),
            test.t.toFixed(2),
            pText(adjusted),
            cost === null
              ? "–"
              : `${percent(cost)} of the ${direction.most?.of === "turns" ? "turns" : "tool calls"}`,
            holds ? "yes" : "no",
          ].join(" | ")} |`,
      ),
    ].join("\n"),
  ];
}

function row(summary: RecipeSummary, table: string, page: string): string {
  const { recipe, environment, runs, learned, beside } = summary;
  return `| ${[
    `[${recipe}](${page}.md)`,
    table,
    environment,
    runs.length,
    percentSpread(summary.base),
    percentSpread(summary.success),
    pointSpread(summary.gain),
    learned === null ? "–" : pText(learned.adjusted),
    beside === null ? "–" : `${points(beside.mean)} (${pText(beside.pValue)})`,
    whole(summary.sampledTokens.mean),
    whole(summary.toolCalls.mean),
    `${summary.cpuSeconds.mean.toFixed(0)} s`,
    `${summary.seconds.mean.toFixed(0)} s`,
  ].join(" | ")} |`;
}
