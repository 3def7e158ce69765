/**
 * The overview page of a table: the result and the best recipe of each environment. The rest is in its appendix.
 */
import { holm, mean } from "@waggle/evaluation";
import type { FailedRun } from "./arm.ts";
import { type DirectionSummary, LEVEL } from "./direction-summary.ts";
import { type ClaimRound, type Expectations, pageName } from "./expectations.ts";
import { percent, percentSpread, pointSpread, pText } from "./numbers.ts";
import { hasLearned, temperatureCells } from "./recipe-page.ts";
import type { RecipeSummary } from "./recipe-summary.ts";
import { repeatedRequestsText } from "./repeated-requests.ts";

/** A round of claims, and the results of those that were run. */
export type SummarizedRound = {
  readonly round: ClaimRound;
  readonly directions: readonly DirectionSummary[];
};

/** The data of the overview page and its appendix. */
export type Overview = {
  readonly summaries: readonly RecipeSummary[];
  readonly failures: readonly FailedRun[];
  readonly rounds: readonly SummarizedRound[];
  readonly expectations: Expectations;
  /** Literature table of a recipe. */
  readonly tableOf: (recipe: string) => string;
};

/** Recipes whose mechanism was active, best first. */
export function orderedSummaries({ summaries }: Overview): RecipeSummary[] {
  return summaries
    .filter(({ sameAs }) => sameAs.length === 0)
    .toSorted((a, b) => (b.gainOverControl?.mean ?? -1) - (a.gainOverControl?.mean ?? -1));
}

/** The first row of each environment. */
function bestByEnvironment(ordered: readonly RecipeSummary[]): RecipeSummary[] {
  const first = new Map<string, RecipeSummary>();
  for (const summary of ordered) {
    if (!first.has(summary.environment)) first.set(summary.environment, summary);
  }
  return [...first.values()];
}

export function overviewPage(overview: Overview): string {
  const { summaries, rounds, expectations } = overview;
  const ordered = orderedSummaries(overview);
  const inactive = summaries.filter(({ sameAs }) => sameAs.length > 0);
  return `${[
    "# Recipes in small environments",
    answerText(overview, ordered),
    [
      "| recipe | environment | base, T = 1 | base, best T | trained, T = 1 | gain over control | p (Holm) |",
      `|${"---|".repeat(7)}`,
      ...bestByEnvironment(ordered).map((summary) => row(summary, pageName(expectations, summary))),
    ].join("\n"),
    `This is the best recipe of each environment, of ${ordered.length} rows. The [appendix](appendix.md) has all of them, explains the columns and the test, and says how settings were chosen.`,
    "```sh\nnpm run evidence -- learning\n```",
    "The command trains the recipes of [expectations.json](expectations.json) at equal budgets; the expectations were committed before the runs. It writes these pages from [runs.jsonl](runs.jsonl) and from the controls in [controls.jsonl](controls.jsonl). When it is stopped, it continues at the next start. `--report` only writes the pages, `--controls` only measures the bases, and `--smoke` trains six recipes with one seed.",
    "## What this does not show",
    [
      "- The models have 0.3 million parameters and the environments are small. Gains of this size are not to be expected of a language model.",
      ...passText(rounds),
      ...roomText(ordered),
      ...clipText(ordered),
      ...truncationText(ordered),
      ...spendingText(ordered),
      ...repeatedRequestsText(ordered.map(({ environment }) => environment)),
      ...(inactive.length === 0
        ? []
        : [
            `- Some recipes are left out of the table and of every count, because their mechanism was inactive with at least one seed: ${inactive.map(({ recipe, sameAs }) => `${recipe} (same run as ${sameAs.join(", ")})`).join("; ")}.`,
          ]),
    ].join("\n"),
    ...(rounds.length === 0
      ? []
      : ["## Claims of papers that beat plain GRPO", ...togetherText(rounds)]),
    ...besideText(ordered, expectations),
  ].join("\n\n")}\n`;
}

/** What the bases of the claims solve in eight tries. */
function passText(rounds: readonly SummarizedRound[]): string[] {
  const shares = rounds.flatMap(({ directions }) =>
    directions.flatMap(
      ({ otherwise }) => otherwise.find(({ name }) => name === "pass@8")?.base ?? [],
    ),
  );
  if (shares.length === 0) return [];
  const [least, most] = [Math.min(...shares), Math.max(...shares)];
  return [
    `- Nothing new is discovered. In eight tries, the bases that the claims start from already solve ${percent(least)} to ${percent(most)} of the tasks (pass@8). Recipes make the right action likely.`,
  ];
}

/** Most recipes that the answer names. */
const MOST_NAMED = 5;

/** Share above which a base leaves little room for learning. */
const MOST_BASE = 0.6;

/** Environments whose base solves much at its best temperature. */
function roomText(ordered: readonly RecipeSummary[]): string[] {
  const bases = new Map(
    ordered.flatMap(({ environment, control }) =>
      control === null ? [] : [[environment, control.success.mean] as const],
    ),
  );
  const high = [...bases].filter(([, success]) => success > MOST_BASE);
  if (high.length === 0) return [];
  const names = high.map(([environment, success]) => `\`${environment}\` (${percent(success)})`);
  return [
    `- The base solves more than ${percent(MOST_BASE)} at its best temperature in ${names.join(", ")}, which leaves less room than the other environments.`,
  ];
}

/** How often the bounds of clipped losses had an effect. */
function clipText(ordered: readonly RecipeSummary[]): string[] {
  const shares = ordered.flatMap(({ runs }) => {
    const measured = runs.flatMap(({ clipFraction }) => clipFraction ?? []);
    return measured.length === 0 ? [] : [mean(measured)];
  });
  if (shares.length === 0) return [];
  const active = shares.filter((share) => share > 0).length;
  const [least, most] = [Math.min(...shares), Math.max(...shares)];
  return [
    `- Clips were active in ${active} of the ${shares.length} recipes whose loss has one: from ${(100 * least).toFixed(2)} to ${(100 * most).toFixed(2)} % of the tokens were clipped. The table does not say what a clip is worth.`,
  ];
}

/** How often importance weights of stale samples were cut at their cap. */
function truncationText(ordered: readonly RecipeSummary[]): string[] {
  const shares = ordered.flatMap(({ recipe, runs }) => {
    const measured = runs.flatMap(({ truncatedFraction }) => truncatedFraction ?? []);
    return measured.length === 0 ? [] : [`${recipe} ${(100 * mean(measured)).toFixed(2)} %`];
  });
  if (shares.length === 0) return [];
  return [
    `- Recipes that learn from stale samples correct them with importance weights. Share of tokens whose weight was cut at its cap: ${shares.join(", ")}.`,
  ];
}

/** How much of its budget a run spent: no step starts after the budget is spent, and some recipes end earlier. */
function spendingText(ordered: readonly RecipeSummary[]): string[] {
  const shares = ordered.map(({ recipe, environment, runs }) => ({
    name: `${recipe} in \`${environment}\``,
    share: mean(runs.map(({ spent, budget }) => spent.sampledTokens / budget.sampledTokens)),
  }));
  const sorted = shares.toSorted((a, b) => a.share - b.share);
  const [least, most] = [sorted[0], sorted.at(-1)];
  if (least === undefined || most === undefined) return [];
  return [
    `- Budgets are equal, spending is not. The rows sampled from ${least.share.toFixed(2)} times their budget of tokens (${least.name}) to ${most.share.toFixed(2)} times (${most.name}): a run stops at its last step, or after the step that exceeds the budget.`,
  ];
}

function answerText({ expectations }: Overview, ordered: readonly RecipeSummary[]): string {
  const seeds = expectations.seeds.length;
  // The reference elsewhere is there to compare with, and counts once.
  const complete = ordered.filter(
    (summary) => summary.learned !== null && pageName(expectations, summary) === summary.recipe,
  );
  const learned = complete.filter(hasLearned);
  if (complete.length === 0) return `No recipe has all ${seeds} seeds and their controls yet.`;
  const few = learned.length <= MOST_NAMED;
  const names = few ? `: ${learned.map(({ recipe }) => recipe).join(", ") || "none"}` : "";
  const environments = new Set(complete.map(({ environment }) => environment)).size;
  const atOne = complete.filter(({ gain }) => gain.mean > 0).length;
  return `**${learned.length} of ${complete.length} recipes beat their base at its best temperature (Holm-corrected p ≤ 0.01, ${seeds} seeds)${names}.** The runs cover ${environments} environments. At temperature 1 alone, ${atOne} end above the base, but a lower temperature can give the same.`;
}

/** Corrects over all rounds too, because a claim that is tested again has another chance to hold. */
function togetherText(rounds: readonly SummarizedRound[]): string[] {
  const tried = rounds.flatMap(({ directions }) => directions);
  if (tried.length === 0) return [];
  const expected = rounds.flatMap(({ round }) => round.directions);
  const waiting = expected.filter((one) => tried.every(({ direction }) => direction !== one));
  const waitingText =
    waiting.length === 0
      ? ""
      : ` Not run since their recipe or base changed: ${waiting.map(({ recipe }) => recipe).join(", ")}.`;
  const adjusted = holm(tried.map(({ test }) => test.pValue));
  const seenText = tried.some(({ direction }) => direction.recipe === "pivot-rl")
    ? " PivotRL starts from stored demonstrations, which plain GRPO does not see."
    : "";
  const equal = tried.filter(
    ({ difference, success, reference }) =>
      difference === 0 && success.deviation === reference.deviation,
  );
  const emptyText = equal.map(
    ({ direction: { recipe, environment } }) =>
      ` The runs of ${recipe} equal those of plain GRPO in \`${environment}\`, so its claim tests nothing there.`,
  );
  const nameOf = (held: readonly DirectionSummary[]): string =>
    held.length === 0
      ? ""
      : ` (${[...new Set(held.map(({ direction }) => direction.recipe))].join(", ")})`;
  const inRound = tried.filter(({ holds }) => holds);
  const inAll = inRound.filter((one) => (adjusted[tried.indexOf(one)] ?? 1) <= LEVEL);
  const survivors = inAll.filter(({ survives }) => survives);
  return [
    `${expected.length} claims of papers to beat plain GRPO were written down before their runs, and ${tried.length} of them have all of their runs.${waitingText} The papers of the other recipes were not searched for such claims.${seenText}`,
    `**${survivors.length} of ${tried.length} claims survive${nameOf(survivors)}.** A claim survives if it holds after correction over all rounds and its recipe also beats the base at the base's best temperature. At temperature 1 alone, ${inRound.length} hold in their round${nameOf(inRound)}, and ${inAll.length} of these also after correction over all rounds${nameOf(inAll)}.${emptyText.join("")}`,
  ];
}

/** How many recipes of the table end higher or lower than the reference in the same environment. */
function besideText(ordered: readonly RecipeSummary[], expectations: Expectations): string[] {
  const compared = ordered.filter(({ beside }) => beside !== null);
  if (compared.length === 0) return [];
  const named = (pValueOf: (pValue: number) => number): string => {
    const adjusted = holm(compared.map(({ beside }) => pValueOf(beside?.pValue ?? 1)));
    const found = compared.filter((_, i) => (adjusted[i] ?? 1) <= LEVEL);
    const names = found.map((one) => `[${one.recipe}](${pageName(expectations, one)}.md)`);
    if (found.length === 0) return "none";
    return found.length > MOST_NAMED ? `${found.length}` : names.join(", ");
  };
  return [
    "## The whole table beside plain GRPO",
    `${compared.length} rows ran beside plain GRPO (\`${expectations.reference.recipe}\`) with the same seeds, budget and held-out tasks. **Higher: ${named((pValue) => pValue)}.** Lower: ${named((pValue) => 1 - pValue)}. The test is at temperature 1 with ${expectations.seeds.length} seeds (p ≤ ${LEVEL}, Holm-corrected over these rows). Some recipes, such as PivotRL, also see demonstrations, which plain GRPO does not. The appendix has each difference.`,
  ];
}

function row(summary: RecipeSummary, page: string): string {
  const { recipe, environment, learned, control, gainOverControl } = summary;
  const [bestBase] = temperatureCells(control);
  return `| ${[
    `[${recipe}](${page}.md)`,
    environment,
    percentSpread(summary.base),
    bestBase,
    percentSpread(summary.success),
    gainOverControl === null ? "–" : pointSpread(gainOverControl),
    learned === null ? "–" : pText(learned.adjusted),
  ].join(" | ")} |`;
}
