/** What honest clients stay within, by the number format that the base model is stored in. */
import type { LogProbBand } from "@waggle/learning";
import type { WeightFormat } from "@waggle/model";
import { DRAW_BAND, type DrawBand } from "./redraw.ts";
import { LOG_PROB_BAND } from "./trajectory-check.ts";

type Bands = { readonly band: LogProbBand; readonly drawBand: DrawBand };

const FLOATS: Bands = { band: LOG_PROB_BAND, drawBand: DRAW_BAND };

/**
 * Quantized weights expand to slightly different numbers in the page's runtime and in the trainer's. The bands are at least
 * twice the largest differences in docs/evidence/redrawing.md.
 */
const QUANTIZED: { readonly [format in "int8" | "int4"]: Bands } = {
  int8: { band: { mean: 6e-3, max: 0.1 }, drawBand: { gap: 0.05, mismatches: 0 } },
  int4: { band: { mean: 2e-2, max: 0.25 }, drawBand: { gap: 0.2, mismatches: 0 } },
};

/**
 * The bands of a base model. The format is the model's own, because a client could claim any.
 *
 * @param format - `null` for plain numbers.
 */
export function bandsOf(format: WeightFormat | null): Bands {
  return format === "int8" || format === "int4" ? QUANTIZED[format] : FLOATS;
}
