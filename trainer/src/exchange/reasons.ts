/** Formats counts by reason. */

/** Number of records by reason. */
export type Reasons = { readonly [reason: string]: number };

/** `; left out: no-reward 3, no-pair 1`, or an empty string. */
export function reasonsText(verb: string, reasons: Reasons): string {
  const all = Object.entries(reasons).map(([reason, count]) => `${reason} ${count}`);
  return all.length === 0 ? "" : `; ${verb}: ${all.join(", ")}`;
}
