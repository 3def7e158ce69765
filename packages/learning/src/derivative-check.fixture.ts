/**
 * Whether stated derivatives are those of a function: central differences in double precision. For
 * tests only. A loss with detached parts is compared with a twin that holds them fixed.
 */

/** Ragged numbers of any depth below the two of rows. */
export type CheckedRows = readonly ArrayLike<number>[];

/** An entry whose stated derivative is not the difference quotient. */
export type DerivativeMismatch = {
  readonly row: number;
  readonly entry: number;
  readonly stated: number;
  readonly difference: number;
};

/**
 * Compares `stated[b][t]` with (f(x + h) − f(x − h)) / 2h in every entry.
 *
 * @param valueOf - the function of all rows; called with one entry moved.
 * @param tolerance - allowed |stated − difference|, relative to the larger of |stated| and 1e-3.
 * @returns the entries that differ; empty where all agree.
 */
export function wrongDerivatives(
  rows: CheckedRows,
  stated: CheckedRows,
  valueOf: (rows: readonly number[][]) => number,
  tolerance: number = 1e-6,
): DerivativeMismatch[] {
  const h = 1e-5;
  const plain = rows.map((row) => Array.from(row));
  const wrong: DerivativeMismatch[] = [];
  for (const [b, row] of plain.entries()) {
    for (const t of row.keys()) {
      const at = (shift: number): number =>
        valueOf(plain.map((r, i) => r.map((v, j) => (i === b && j === t ? v + shift : v))));
      const difference = (at(h) - at(-h)) / (2 * h);
      const given = stated[b]?.[t] ?? Number.NaN;
      const scale = Math.max(Math.abs(given), 1e-3);
      if (!(Math.abs(given - difference) <= tolerance * scale)) {
        wrong.push({ row: b, entry: t, stated: given, difference });
      }
    }
  }
  return wrong;
}
