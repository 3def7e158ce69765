/** The appendix of the page over all recipes: every row, every claim, the test and how settings were chosen. */
import type { DirectionSummary } from "./direction-summary.ts";
import { LEVEL } from "./direction-summary.ts";
import { pageName } from "./expectations.ts";
import { percent, percentSpread, pointSpread, points, pText } from "./numbers.ts";
import { orderedSummaries, type Overview, type SummarizedRound } from "./overview-page.ts";
import { METRICS, temperatureCells } from "./recipe-page.ts";
import type { RecipeSummary } from "./recipe-summary.ts";

export function appendixPage(overview: Overview): string {
  const { summaries, failures, rounds, expectations, tableOf } = overview;
  const waiting = expectations.recipes.filter(
    ({ recipe }) => !summaries.some((one) => one.recipe === recipe && one.learned !== null),
  );
  return `${[
    "# Recipes in small environments: appendix",
    "The answer is on [the main page](README.md). This page has every row, every claim and the method.",
    "## All recipes",
    [
      `| recipe | table | environment | base, T = 1 | base, best T | base, greedy | trained, T = 1 | trained, best T | trained, greedy | gain over control | p (Holm) | against plain GRPO (p) |`,
      `|${"---|".repeat(12)}`,
      ...orderedSummaries(overview).map((summary) =>
        row(summary, tableOf(summary.recipe), pageName(expectations, summary)),
      ),
    ].join("\n"),
    ...unshownText(overview),
    "## Columns",
    METRICS.map((line) => `- ${line}`).join("\n"),
    timeText(summaries),
    "## How the settings were chosen",
    expectations.chosen,
    "## Claims, round by round",
    `The claims were committed before their runs. A claim holds at temperature 1 if the recipe's success minus that of plain GRPO is above 0, or above −margin if the paper claims equal success, at p ≤ ${LEVEL} (one-sided Student's t-test over seeds, Holm-corrected over the claims of a round). A claim about cost must also meet its cost limit. Both sides have the same seeds and held-out tasks. Plain GRPO has the same budget of sampled tokens and tool calls, or a larger one if the claim is about cost.`,
    ...rounds.flatMap(roundText),
    "## The test",
    "The control is the base at its best temperature, on the same held-out tasks with the same draws. The best temperature is the one with the highest mean over seeds, for the base and for the trained policy alike. Each seed has its own learner, tasks, draws and held-out tasks, so differences between seeds are independent. Five differences are too few to estimate their variance well, so the variances of all recipes are pooled by empirical Bayes (Smyth 2004). P-values are Holm-corrected over all recipes of the expectations. A recipe that did not run with all seeds, or whose mechanism was inactive, counts as not learning. `packages/evaluation/src/table-tests.test.ts` simulates tables without learning and finds that the test keeps its level. It also shows that a permutation of tasks within seeds would not.",
    ...(failures.length === 0
      ? []
      : ["## Failed", failures.map(({ key, error }) => `- \`${key}\`: ${error}`).join("\n")]),
    ...(waiting.length === 0
      ? []
      : [
          "## No result yet",
          `${waiting.map(({ recipe }) => recipe).join(", ")}. These were also expected to learn. Either not all seeds ran, or the mechanism was inactive.`,
        ]),
  ].join("\n\n")}\n`;
}

/** Rows whose environment does not show what distinguishes the recipe. */
function unshownText({ expectations: { unshown = [] }, summaries }: Overview): string[] {
  const run = new Set(summaries.map(({ recipe }) => recipe));
  const names = unshown.filter((name) => run.has(name));
  if (names.length === 0) return [];
  return [
    `In ${names.length} rows, the check of the recipe's own test does not hold in the environment of the row (\`placement.test.ts\`): ${names.join(", ")}. These rows measure the recipe there, but not the idea of its paper.`,
  ];
}

/** How long the longest runs took, which means would hide. */
function timeText(summaries: readonly RecipeSummary[]): string {
  const spent = summaries.flatMap(({ runs }) => runs.map((run) => run.spent));
  const most = Math.max(0, ...spent.map(({ cpuSeconds }) => cpuSeconds));
  const long = spent.filter(({ seconds }) => seconds > 180).length;
  return `The longest of these ${spent.length} runs took ${most.toFixed(0)} s of CPU time over all threads. On the shared machine, ${long} took more than three minutes of wall-clock time.`;
}

function roundText({ round, directions }: SummarizedRound, at: number): string[] {
  const heading = `### Round ${at + 1}: seeds ${round.seeds.join(", ")}`;
  if (directions.length === 0) return [heading, round.chosen, "Not run over all seeds yet."];
  const held = directions.filter(({ holds }) => holds);
  const survivors = directions.filter(({ survives }) => survives);
  return [
    heading,
    `${round.chosen} **${held.length} of ${directions.length} hold at temperature 1, ${survivors.length} survive the control.**`,
    [
      "| claim | recipe | environment | success | plain GRPO | difference | margin | p (Holm) | cost of it | holds at T = 1 | base, best T | survives |",
      `|${"---|".repeat(12)}`,
      ...directions.map(claimRow),
    ].join("\n"),
    "The same runs, sampled otherwise (recipe / plain GRPO / base, means over seeds):",
    [
      `| recipe | environment | ${(directions[0]?.otherwise ?? []).map(({ name }) => name).join(" | ")} |`,
      `|${"---|".repeat(2 + (directions[0]?.otherwise.length ?? 0))}`,
      ...directions.map(
        ({ direction, otherwise }) =>
          `| ${[
            direction.recipe,
            direction.environment,
            ...otherwise.map(({ recipe, reference, base }) =>
              [recipe, reference, base]
                .map((share) => (share === null ? "–" : percent(share)))
                .join(" / "),
            ),
          ].join(" | ")} |`,
      ),
    ].join("\n"),
  ];
}

function claimRow(found: DirectionSummary): string {
  const { direction, success, reference, difference, adjusted, cost, control } = found;
  const unit = direction.most?.of === "turns" ? "turns" : "tool calls";
  return `| ${[
    direction.says,
    direction.recipe,
    direction.environment,
    percentSpread(success),
    percentSpread(reference),
    points(difference),
    direction.margin === 0 ? "–" : points(direction.margin),
    pText(adjusted),
    cost === null ? "–" : `${percent(cost)} of the ${unit}`,
    found.holds ? "yes" : "no",
    control === null ? "not measured" : percentSpread(control),
    found.survives ? "yes" : "no",
  ].join(" | ")} |`;
}

function row(summary: RecipeSummary, table: string, page: string): string {
  const { recipe, environment, learned, beside, control, trained, gainOverControl } = summary;
  return `| ${[
    `[${recipe}](${page}.md)`,
    table,
    environment,
    percentSpread(summary.base),
    ...temperatureCells(control),
    percentSpread(summary.success),
    ...temperatureCells(trained),
    gainOverControl === null ? "–" : pointSpread(gainOverControl),
    learned === null ? "–" : pText(learned.adjusted),
    beside === null ? "–" : `${points(beside.mean)} (${pText(beside.pValue)})`,
  ].join(" | ")} |`;
}
