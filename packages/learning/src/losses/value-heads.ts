/** One of several value heads: the engine gives `[T·H]` token by token, a loss sees `[T]`. */
import { WaggleError } from "@waggle/protocol";
import type { LossResult } from "../loss.ts";
import type { TokenRows } from "../token-rows.ts";

/** Which head of how many. */
export type ValueHead = { readonly head: number; readonly heads: number };

/** `[B][T]` values of one head. @throws WaggleError `SHAPE_MISMATCH` where rows are no multiple of H. */
export function valuesOfHead(values: TokenRows, { head, heads }: ValueHead): Float64Array[] {
  return values.map((row, b) => {
    if (row.length % heads !== 0 || head < 0 || head >= heads) {
      throw new WaggleError(
        "SHAPE_MISMATCH",
        `values[${b}] must hold ${heads} heads per token and head ${head} be one of them, got ${row.length} numbers; pass the number of heads of the engine`,
      );
    }
    return Float64Array.from({ length: row.length / heads }, (_, t) => row[t * heads + head] ?? 0);
  });
}

/** A loss on one head's values as a loss on all of them. */
export function onValueHead(result: LossResult, { head, heads }: ValueHead): LossResult {
  const values = result.derivatives.values?.map((row) => {
    const all = new Float64Array(row.length * heads);
    for (const [t, value] of row.entries()) all[t * heads + head] = value;
    return all;
  });
  return { ...result, derivatives: { ...result.derivatives, values } };
}
