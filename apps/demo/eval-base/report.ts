/** The report of `npm run eval-base`, and its table for people. */
import type { StoredCalibration, SuccessRate } from "@waggle/evaluation";
import type { AskingResults } from "../src/typed-requests/asking-results.ts";
import type { BfclResults } from "./bfcl/bfcl-results.ts";
import type { PublishedFigure } from "./bfcl/published-figures.ts";
import type { RequestResults } from "../src/typed-requests/request-results.ts";
import type { HeldOutResults } from "./held-out-results.ts";
import type { DevelopmentResults } from "./other-requests.ts";
import type { TalkResults } from "./talk-results.ts";
import type { TypedResults } from "./typed-results.ts";

/** `null` = not evaluated. */
export type EvalReport = {
  readonly model: {
    readonly folder: string;
    /** Content hash of the base model. */
    readonly sha256: string;
    readonly contextLength: number;
  };
  /** 0 = greedy. */
  readonly temperature: number;
  readonly seed: number;
  /** What maps confidence to probability; `null` = the raw confidence counts. */
  readonly calibration: Omit<StoredCalibration, "map" | "calls"> | null;
  readonly typed: TypedResults | null;
  readonly validation: RequestResults | null;
  readonly development: DevelopmentResults | null;
  readonly talks: TalkResults | null;
  readonly bfcl: (BfclResults & { readonly published: readonly PublishedFigure[] }) | null;
  readonly tools: HeldOutResults | null;
  /** Wall-clock seconds by part. */
  readonly seconds: { readonly [part: string]: number };
};

/** The table. */
export function reportLines({
  typed,
  validation,
  development,
  talks,
  bfcl,
  tools,
  seconds,
}: EvalReport): string[] {
  const lines: string[] = [];
  const row = (name: string, value: string): void => void lines.push(`${name.padEnd(42)}${value}`);
  const rated = (name: string, rate: SuccessRate | null | undefined): void =>
    row(name, rate ? rateText(rate) : "–");
  if (typed !== null) {
    rated("requests as people type them: solved", typed.solved);
    rated("  acted unasked", typed.actedUnasked);
    rated("  broken markup", typed.brokenMarkup);
    rated("  refusals right", typed.refusalsRight);
    rated("  refused needlessly", typed.refusedNeedlessly);
    rated("  asked back rightly", typed.askedRightly);
    rated("  asked back needlessly", typed.askedNeedlessly);
    for (const [feature, { solved }] of Object.entries(typed.byFeature)) {
      rated(`  solved, ${feature}`, solved);
    }
    row("  calibration error", typed.calibration.error.toFixed(3));
    row("  the same without the map", typed.rawCalibration.error.toFixed(3));
    if (typed.asking !== null) askingRows(typed.asking, row, rated);
  }
  if (validation !== null) {
    rated("validation requests: solved", validation.solved);
    rated("  acted unasked", validation.actedUnasked);
    rated("  refusals right", validation.refusalsRight);
  }
  if (development !== null) {
    rated("development requests: solved", development.solved);
    for (const { id, turns, answers } of development.failures) {
      const said = answers.map((answer) => answer ?? "no answer");
      lines.push(`  ${id}: ${turns.join(" / ")}`, `        ${said.join(" / ")}`);
    }
  }
  for (const [environment, rate] of Object.entries(talks ?? {})) {
    rated(`held-out talks, ${environment}: solved`, rate);
  }
  if (bfcl !== null) {
    for (const category of ["simple", "multiple"] as const) {
      rated(`BFCL ${category}: right tool`, bfcl[category].tool);
      rated("  right arguments", bfcl[category].arguments);
      row("  too long for the context", String(bfcl[category].tooLong));
      for (const { model, ...figures } of bfcl.published) {
        const figure = figures[category];
        row(`  ${model}`, figure === null ? "not published" : `${figure.toFixed(1)} %`);
      }
    }
  }
  if (tools !== null) {
    rated("unseen tools: solved", tools.success);
    for (const [part, rate] of Object.entries(tools.parts)) rated(`  right ${part}`, rate);
  }
  const times = Object.entries(seconds).map(([part, one]) => `${part} ${one.toFixed(0)} s`);
  row("time", times.join(", "));
  return lines;
}

function askingRows(
  { without, with: asked }: AskingResults,
  row: (name: string, value: string) => void,
  rated: (name: string, rate: SuccessRate | null) => void,
): void {
  for (const [name, one] of [
    ["without asking", without],
    [`asked below ${asked.threshold}`, asked],
  ] as const) {
    rated(`  solved, ${name}`, one.solved);
    rated(`  acted unasked, ${name}`, one.actedUnasked);
  }
  const { changingCalls, rightQuestions, needlessQuestions } = asked;
  row("  calls that change the cart", String(changingCalls));
  row("  asked about rightly", String(rightQuestions));
  row("  asked about needlessly", String(needlessQuestions));
}

function rateText({ rate, successes, trials, interval: { low, high } }: SuccessRate): string {
  const percent = (value: number): string => (100 * value).toFixed(1);
  return `${percent(rate).padStart(5)} % (${percent(low)}–${percent(high)}), ${successes} of ${trials}`;
}
