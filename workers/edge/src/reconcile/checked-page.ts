/** One page of a comparison, and what each comparison gets. */
import type { Finding } from "@waggle/protocol";

/** The part of a comparison that one request does. */
export type CheckedPage = {
  /** What was compared. */
  readonly checked: number;
  readonly found: readonly Finding[];
  /** Where the next page goes on; `null` after the last. */
  readonly next: string | null;
};

/** How a page is compared. */
export type PageRequest = {
  /** `next` of the page before; empty for the first. */
  readonly after: string;
  readonly repair: boolean;
  readonly now: number;
};

/**
 * What is younger than this may be unfinished work: an upload writes its object before its row, and a trainer may renew a
 * lease late.
 */
export const GRACE_MS = 3_600_000;

/** Where the page after these rows goes on. @param name - the name of the last row */
export function nextAfter(rows: number, limit: number, name: string | undefined): string | null {
  return rows < limit ? null : (name ?? null);
}
