/** The page over all recipes of a table, and what of it failed. */
import { holm } from "@waggle/evaluation";
import type { FailedRun } from "./arm.ts";
import { type DirectionSummary, LEVEL } from "./direction-summary.ts";
import { percent, percentSpread, pointSpread, points, pText } from "./numbers.ts";
import { hasLearned, METRICS, temperatureCells } from "./recipe-page.ts";
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
  const ordered = summaries
    .filter(({ sameAs }) => sameAs.length === 0)
    .toSorted((a, b) => (b.gainOverControl?.mean ?? -1) - (a.gainOverControl?.mean ?? -1));
  const unmeasured = ordered.filter(({ trained }) => trained === null);
  const inactive = summaries.filter(({ sameAs }) => sameAs.length > 0);
  // The reference elsewhere is there to compare with, and counts once.
  const complete = ordered.filter(
    (summary) => summary.learned !== null && pageName(expectations, summary) === summary.recipe,
  );
  const learned = complete.filter(hasLearned);
  const waiting = expectations.recipes.filter(
    ({ recipe }) => !summaries.some((one) => one.recipe === recipe && one.learned !== null),
  );
  return `${[
    "# Recipes in small environments",
    answerWords(complete, learned, expectations.seeds.length),
    "Command: `npm run evidence -- learning`. It runs the recipes of [expectations.json](expectations.json), which were committed before the runs, at equal budgets. It draws these pages from [runs.jsonl](runs.jsonl) and from the controls in [controls.jsonl](controls.jsonl). It resumes where it stopped. `--report` only draws, `--controls` only tries the bases, `--smoke` runs one seed of six recipes.",
    [
      `| recipe | table | environment | base, T = 1 | base, best T | base, greedy | trained, T = 1 | trained, best T | trained, greedy | gain over control | p (Holm) | against plain GRPO (p) |`,
      `|${"---|".repeat(12)}`,
      ...ordered.map((summary) =>
        row(summary, tableOf(summary.recipe), pageName(expectations, summary)),
      ),
    ].join("\n"),
    "## What the table does not show",
    [
      "- Sharpening is not learning. In `calculator` the untrained base solves 71 % at temperature 1 and 99 % greedily. Recipes that end at 92 to 98 % at temperature 1 taught less than a lower temperature gives for nothing.",
      `- ${unmeasured.length} of ${ordered.length} trained policies were measured at temperature 1 only, and their parameters were not kept. Their other columns fill when the recipe runs again (\`--again\`).`,
      "- Reward stages take one optimizer step for each batch. The importance ratio is then always 1, so clips, sequence ratios and bands change nothing here. The table says nothing about them.",
      ...(inactive.length === 0
        ? []
        : [
            `- Mechanism inactive here, so left out of the table and of every count: ${inactive.map(({ recipe, sameAs }) => `${recipe} (same runs as ${sameAs.join(", ")})`).join("; ")}.`,
          ]),
    ].join("\n"),
    "## Columns",
    METRICS.map((line) => `- ${line}`).join("\n"),
    timeWords(summaries),
    "## How the settings were chosen",
    expectations.chosen,
    "## Claims of papers that beat plain GRPO",
    `The claims were written down before their runs. A claim holds at temperature 1 if the recipe's success minus that of plain GRPO is above 0, or above −margin where the paper claims equal success, at p ≤ ${LEVEL} (one-sided Student's t over seeds, Holm over the claims of a round). A claim about cost must also meet its cost. Both sides share seeds and held-out tasks. Plain GRPO has the same budget of sampled tokens and tool calls, or more where the claim is about cost.`,
    ...togetherWords(rounds),
    ...rounds.flatMap(roundWords),
    "## The test",
    "The control is the base at its best temperature, on the same held-out tasks with the same draws. The best temperature is the one with the highest mean over seeds, for the base and for the trained policy alike. Each seed has its own learner, tasks, draws and held-out tasks, so differences between seeds are independent. Five differences say little about their spread, so the spreads of all recipes are pooled by empirical Bayes (Smyth 2004). P-values are Holm-corrected over all recipes of the expectations. A recipe that did not run over all seeds, or whose mechanism was inactive, counts as not learning. `packages/evaluation/src/table-tests.test.ts` simulates tables in which nothing is learned and finds the level held. It also shows that shuffling tasks within seeds would not hold it.",
    ...(failures.length === 0
      ? []
      : ["## Failed", failures.map(({ key, error }) => `- \`${key}\`: ${error}`).join("\n")]),
    ...(waiting.length === 0
      ? []
      : [
          "## No result yet",
          `${waiting.map(({ recipe }) => recipe).join(", ")}. These were expected to learn too. Either not all seeds ran, or the mechanism was inactive.`,
        ]),
  ].join("\n\n")}\n`;
}

function answerWords(
  complete: readonly RecipeSummary[],
  learned: readonly RecipeSummary[],
  seeds: number,
): string {
  if (complete.length === 0) return `No recipe has all ${seeds} seeds and their controls yet.`;
  const names = learned.map(({ recipe }) => recipe).join(", ");
  const atOne = complete.filter(({ gain }) => gain.mean > 0).length;
  return `**${learned.length} of ${complete.length} recipes beat their base at its best temperature (Holm-corrected p ≤ 0.01, ${seeds} seeds): ${names || "none"}.** At temperature 1 alone, ${atOne} of them end above the base. That gain does not count: sampling the base at a lower temperature gives more.`;
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
  const survivors = inAll.filter(({ survives }) => survives);
  return [
    `**${survivors.length} of ${tried.length} claims survive: ${nameOf(survivors)}.** A claim survives if it holds corrected over all rounds together and its recipe also beats the base at the base's best temperature. At temperature 1 alone, ${inRound.length} hold in their round (${nameOf(inRound)}), and ${inAll.length} of these corrected over all rounds (${nameOf(inAll)}). Several of these recipes get demonstrations that plain GRPO lacks, so the comparison is not of equal information.`,
  ];
}

function roundWords({ round, directions }: SummarizedRound, at: number): string[] {
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
