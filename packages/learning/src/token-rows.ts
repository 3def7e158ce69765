/**
 * Per-token numbers of a minibatch: one row per sequence, one entry per token. Not a tensor: rows may differ
 * in length and are not padded.
 */
import { WaggleError } from "@waggle/protocol";

/** `[B][T]` numbers; rows may be typed arrays. */
export type TokenRows = readonly ArrayLike<number>[];

/** `[B][T]`: true for tokens that contribute to the loss. */
export type LossMask = readonly (readonly boolean[])[];

/**
 * Throws unless every named array has the shape of the mask.
 *
 * @throws WaggleError `SHAPE_MISMATCH` naming the array, the row and both lengths.
 */
export function requireRows(
  lossMask: LossMask,
  named: { readonly [name: string]: TokenRows | undefined },
): void {
  for (const [name, rows] of Object.entries(named)) {
    if (rows === undefined) continue;
    if (rows.length !== lossMask.length) {
      throw new WaggleError(
        "SHAPE_MISMATCH",
        `${name} has ${rows.length} rows for ${lossMask.length} sequences; build all arrays from the same minibatch`,
      );
    }
    for (const [b, row] of rows.entries()) {
      const expected = lossMask[b]?.length ?? 0;
      if (row.length !== expected) {
        throw new WaggleError(
          "SHAPE_MISMATCH",
          `${name}[${b}] has ${row.length} entries for ${expected} tokens; align it with the loss mask`,
        );
      }
    }
  }
}

/**
 * Throws unless every named array has one finite number per sequence of the mask.
 *
 * @throws WaggleError `SHAPE_MISMATCH` naming the array, `NON_FINITE_VALUE` naming the entry.
 */
export function requireSequences(
  lossMask: LossMask,
  named: { readonly [name: string]: ArrayLike<number> | undefined },
): void {
  for (const [name, values] of Object.entries(named)) {
    if (values === undefined) continue;
    if (values.length !== lossMask.length) {
      throw new WaggleError(
        "SHAPE_MISMATCH",
        `${name} has ${values.length} entries for ${lossMask.length} sequences; build all arrays from the same minibatch`,
      );
    }
    const index = Array.from(values).findIndex((value) => !Number.isFinite(value));
    if (index >= 0) {
      throw new WaggleError(
        "NON_FINITE_VALUE",
        `${name}[${index}] is ${values[index]}; it must be finite`,
      );
    }
  }
}

/** Calls `visit` for each token the mask keeps, in order. */
export function forEachLossToken(lossMask: LossMask, visit: (b: number, t: number) => void): void {
  for (const [b, row] of lossMask.entries()) {
    for (const [t, kept] of row.entries()) if (kept) visit(b, t);
  }
}

/** Number of tokens the mask keeps: the global count that `token-mean` divides by. */
export function lossTokenCount(lossMask: LossMask): number {
  return lossMask.reduce((sum, row) => sum + row.filter(Boolean).length, 0);
}

/** `[B][T]` zeros of the mask's shape, in double precision. */
export function zeroRows(lossMask: LossMask): Float64Array[] {
  return lossMask.map((row) => new Float64Array(row.length));
}

/** The entry at `[b][t]`. @throws WaggleError `NON_FINITE_VALUE` where it is not finite. */
export function finiteAt(rows: TokenRows, name: string, b: number, t: number): number {
  const value = rows[b]?.[t];
  if (value === undefined || !Number.isFinite(value)) {
    throw new WaggleError(
      "NON_FINITE_VALUE",
      `${name}[${b}][${t}] is ${value}; it must be finite under the loss mask (check the engine's outputs)`,
    );
  }
  return value;
}
