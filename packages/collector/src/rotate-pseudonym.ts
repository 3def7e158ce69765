/** Leaves a visitor's id for a new one after some days, so that records of a long time do not belong together. */
import type { ConsentReceipts } from "./consent-receipts.ts";
import type { ConsentStore } from "./consent-store.ts";
import type { EdgeSession } from "./edge-session.ts";
import type { Outbox } from "./outbox-contract.ts";

const DAY_MS = 86_400_000;

/** What the page has of its visitor. */
export type RotationParts = {
  readonly session: Pick<EdgeSession, "rotate">;
  readonly consent: Pick<ConsentStore, "get" | "coarsen">;
  readonly receipts: Pick<ConsentReceipts, "list">;
  readonly outbox: Pick<Outbox, "summary">;
};

/**
 * Rotates if the first receipt of the present id is at least this many days old, and nothing waits that belongs to it.
 * Otherwise a later visit does.
 * @param now - milliseconds since 1970.
 * @returns whether the visitor has a new id
 */
export async function rotatePseudonym(
  { session, consent, receipts, outbox }: RotationParts,
  days: number,
  now: number,
): Promise<boolean> {
  if (consent.get() === null) return false;
  const kept = receipts.list();
  const first = kept.find(({ visitorId }) => visitorId === kept.at(-1)?.visitorId);
  if (first === undefined || now - Date.parse(first.recordedAt) < days * DAY_MS) return false;
  const { waiting, feedbackWaiting } = await outbox.summary();
  if (waiting + feedbackWaiting > 0) return false;
  // First, because the new id must never be seen with the exact time.
  consent.coarsen();
  session.rotate();
  return true;
}
