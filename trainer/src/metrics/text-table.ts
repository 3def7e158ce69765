/** Formats rows as aligned columns for a terminal. Programs use `--json` instead. */

/** Separator between two columns. */
const GAP = 2;

/** @param rows - `[lines][columns]` including the header; the last column is not padded. */
export function textTable(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length);
  }
  return rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd((widths[i] ?? 0) + GAP))
      .join("")
      .trimEnd(),
  );
}
