/** Rows as lines for a terminal: columns begin at one place. For programs there is `--json`. */

/** Between two columns. */
const GAP = 2;

/** @param rows - `[lines][columns]`, the head among them; the last column is as long as it is. */
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
