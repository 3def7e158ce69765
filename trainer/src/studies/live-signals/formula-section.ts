/**
 * The section of the page `live-signals` that compares OpenClaw-RL's formula with its terms alone and with this project's
 * own recipe, on the same signals and at equal budgets. Generated from runs alone.
 */
import { mean, standardError } from "@waggle/evaluation";
import type { SignalRun } from "./run-cell.ts";
import { FORMULA_ARMS, type FormulaArms, type SignalArm } from "./signal-arms.ts";
import { LEAST_SEEDS, type SignalGain } from "./signal-gains.ts";

/** Standard errors by which a difference is called one. */
const CLEAR = 2;

/** An arm at one site, and how much better it is than the formula, in points; both `null` for the formula itself. */
type FormulaRow = {
  readonly gain: SignalGain;
  readonly steps: number;
  readonly over: number | null;
  readonly error: number | null;
};

/** Lines of the section; none before there are runs of a group's formula and of another arm. */
export function formulaSection(
  gains: readonly SignalGain[],
  runs: readonly SignalRun[],
): readonly string[] {
  const sites = [...new Set(gains.map(({ site }) => site))];
  const tables = FORMULA_ARMS.flatMap((arms) =>
    sites.flatMap((site) => {
      const rows = formulaRows(arms, site, gains, runs);
      return rows.length < 2 ? [] : [rows];
    }),
  );
  if (tables.length === 0) return [];
  return [
    "## OpenClaw-RL's formula at equal budgets",
    "",
    "A token's advantage is `A = w_rl · r + w_opd · Δ`: `r` is the reward, and `Δ` is how much likelier the policy finds the token",
    "once it has read the correction. All rows of a table have the same people, requests, signals and steps for each request.",
    "The last column is the difference to the formula with both terms, in points, over pairs of runs with the same seed.",
    "",
    ...tables.flatMap(tableOf),
  ];
}

/** The formula first. */
function formulaRows(
  { formula, others }: FormulaArms,
  site: string,
  gains: readonly SignalGain[],
  runs: readonly SignalRun[],
): FormulaRow[] {
  return [formula, ...others].flatMap((name): FormulaRow[] => {
    const gain = gains.find((one) => one.site === site && one.arm.name === name);
    if (gain === undefined) return [];
    const own = runs.filter((run) => run.site === site && run.arm === name && !run.isShuffled);
    const steps = mean(own.map((run) => run.steps));
    if (name === formula) return [{ gain, steps, over: null, error: null }];
    const pairs = own.flatMap((run) => {
      const other = runs.find(
        (one) =>
          one.site === site && one.arm === formula && !one.isShuffled && one.seed === run.seed,
      );
      return other === undefined ? [] : [100 * (run.final - other.final)];
    });
    if (pairs.length === 0) return [];
    const error = pairs.length > 1 ? standardError(pairs) : null;
    return [{ gain, steps, over: mean(pairs), error }];
  });
}

function tableOf(rows: readonly FormulaRow[]): string[] {
  const [first] = rows;
  if (first === undefined) return [];
  const { site, arm } = first.gain;
  return [
    `### \`${site}\`: ${arm.gives.join(", ")}`,
    "",
    `**${answerOf(rows)}**`,
    "",
    "| advantage | recipe | seeds | steps | after, % | control, % | gain | greedy gain | against both terms |",
    `|${"---|".repeat(9)}`,
    ...rows.map(({ gain, steps, over, error }) =>
      [
        "",
        advantageOf(gain.arm),
        `\`${gain.arm.recipe}\``,
        String(gain.seeds),
        (steps * (gain.arm.epochs ?? 1)).toFixed(0),
        gain.final.toFixed(1),
        gain.shuffledFinal.toFixed(1),
        signed(gain.gain),
        signed(gain.greedyGain),
        over === null ? "" : `${signed(over)}${error === null ? "" : ` ± ${error.toFixed(1)}`}`,
        "",
      ]
        .join(" | ")
        .trim(),
    ),
    "",
  ];
}

function answerOf(rows: readonly FormulaRow[]): string {
  const least = Math.min(...rows.map(({ gain }) => gain.seeds));
  if (least < LEAST_SEEDS) return `No answer yet: ${least} of at least ${LEAST_SEEDS} seeds.`;
  const others = rows.flatMap(({ gain, over, error }) =>
    over === null || error === null ? [] : [{ gain, over, error }],
  );
  const best = others.reduce((top, one) => (one.over > top.over ? one : top));
  const clear = others.filter(({ over, error }) => Math.abs(over) > CLEAR * error);
  const text = `The best other: ${advantageOf(best.gain.arm)}, ${signed(best.over)} ± ${best.error.toFixed(1)} points`;
  if (clear.includes(best) && best.over > 0) return `${text}. It beats the formula.`;
  const beaten = clear.filter(({ over }) => over < 0).length;
  return `No other row beats the formula by ${CLEAR} standard errors; it beats ${beaten} of ${others.length}. ${text}.`;
}

/** In words of the formula. */
function advantageOf({ recipe, settings = {} }: SignalArm): string {
  if (recipe !== "openclaw-rl") return "r − moving average";
  if (settings["hindsightWeight"] === 0) return "r";
  return settings["rewardWeight"] === 0 ? "Δ" : "r + Δ";
}

function signed(points: number): string {
  return `${points < 0 ? "−" : "+"}${Math.abs(points).toFixed(1)}`;
}
