/**
 * Which visitors of a lease are not learned from, because of records that no honest page sends. Most tokens of a small model
 * are nearly certain, so forged records often equal honest ones and pass. Those of one visitor are judged together.
 */
import type { TrajectoryOutcome } from "@waggle/protocol";

/** Share of honest records that the check may reject. In docs/evidence/redrawing.md it was at most 1 of 400. */
const FALSE_ALARMS = 1 / 400;
/** Share of an attacker's records that is caught, at least. */
const CAUGHT = 1 / 10;
/** How much likelier an attacker must be than an honest page. */
const LEAST_ODDS = 10;

/** Reasons that the edge counts as forged, without copies: a page may send a record twice. */
const FORGED: ReadonlySet<string> = new Set([
  "not-drawn-from-seed",
  "log-prob-gap",
  "kept-set-mismatch",
  "digest-mismatch",
  "assignment-mismatch",
  "version-mismatch",
  "unknown-token",
]);

/** What was said about a record of a visitor. */
export type SentOutcome = { readonly visitorId: string; readonly outcome: TrajectoryOutcome };

/** True if an attacker sends such records rather than an honest page. One caught record of up to 14 suffices. */
export function looksForged(forged: number, passed: number): boolean {
  const odds = (CAUGHT / FALSE_ALARMS) ** forged * ((1 - CAUGHT) / (1 - FALSE_ALARMS)) ** passed;
  return odds > LEAST_ODDS;
}

/** The visitors whose records in a lease look forged. */
export function forgingVisitors(sent: readonly SentOutcome[]): ReadonlySet<string> {
  const counts = new Map<string, { forged: number; passed: number }>();
  for (const { visitorId, outcome } of sent) {
    const count = counts.get(visitorId) ?? { forged: 0, passed: 0 };
    counts.set(visitorId, count);
    if (outcome.status === "rejected" && FORGED.has(outcome.reason ?? "")) count.forged += 1;
    else if (outcome.drawMismatches !== undefined) count.passed += 1;
  }
  const forging = [...counts].filter(([, { forged, passed }]) => looksForged(forged, passed));
  return new Set(forging.map(([visitorId]) => visitorId));
}
