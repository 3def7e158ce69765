/** The publication that a trainer has begun, from the checkpoint in its state folder. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The part of a checkpoint that is read here. */
type Stored = {
  readonly state: { readonly publication: { readonly stage: string } | null };
};

/** `evaluate`, `publish` or `promote`; `null` if nothing is being published. */
function publicationStage(folder: string): string | null {
  const file = join(folder, "state.json");
  if (!existsSync(file)) return null;
  // Replaced by a rename, so it is always whole.
  return (JSON.parse(readFileSync(file, "utf8")) as Stored).state.publication?.stage ?? null;
}

/** How long a loop waits for its last trajectories, and then for its last publication. */
export const MOST_WAIT_MS = 240_000;

/** Options of `untilPublicationEnds`. */
export type PublicationWait = {
  readonly timeoutMs?: number;
  /** A released version is promoted by visitors, who have stopped; so a promotion gets less time. */
  readonly promotionMs?: number;
  readonly pollMs?: number;
};

/**
 * Waits until the trainer has evaluated, published and promoted or rolled back what it has begun to publish.
 * @param folder - the trainer's state folder
 * @returns false if it took too long, or the trainer ended
 */
export async function untilPublicationEnds(
  folder: string,
  trainer: { readonly running: boolean },
  { timeoutMs = MOST_WAIT_MS, promotionMs = 15_000, pollMs = 500 }: PublicationWait = {},
): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  let promotesSince = Infinity;
  for (;;) {
    // Asked first: what a trainer wrote before its end is seen.
    const { running } = trainer;
    const stage = publicationStage(folder);
    if (stage === null) return true;
    const now = Date.now();
    if (stage === "promote") promotesSince = Math.min(promotesSince, now);
    if (!running || now > deadline || now - promotesSince > promotionMs) return false;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}
