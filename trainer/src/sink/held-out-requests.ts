/**
 * The requests of visitors at which two versions are compared. They are chosen once and kept, and nothing is learned from
 * them. The trainer stores their digests and nothing else. The edge gives a record only while its visitor's consent covers
 * learning; a request that it does not give any more leaves the set, and another one takes its place.
 */
import { derivedSeed, hashText, type LeasedTrajectory, trajectoryDigest } from "@waggle/protocol";
import type { AdaptivePolicy } from "@waggle/runtime/node";
import { promptOf } from "../check/recorded-trial.ts";
import type { EdgeClient } from "../edge/edge-client.ts";

/** A request of the set, as the edge gives it now. */
export type HeldOutRequest = Pick<LeasedTrajectory, "digest" | "visitorId" | "trajectory">;

/** Requests that are read for each free place: some are gone, or of an earlier base model. */
const READS_PER_PLACE = 2;

/**
 * The set now: the requests that were held out before and are still given, and new ones in the free places, at most one of
 * each visitor.
 *
 * @param earlier - digests of the set.
 * @param seed - of the choice. Pages must not know it, or a visitor could write requests that are chosen.
 */
export async function heldOutRequests(
  edge: Pick<EdgeClient, "requests" | "request">,
  policy: Pick<AdaptivePolicy, "baseModel" | "vocabularySize" | "contextLength">,
  earlier: readonly string[],
  { most, seed }: { readonly most: number; readonly seed: number },
): Promise<HeldOutRequest[]> {
  const held: HeldOutRequest[] = [];
  const take = async (digest: string): Promise<void> => {
    const found = await edge.request(digest);
    if (found !== null && (await isAnswerable(found, policy))) held.push(found);
  };
  for (const digest of earlier.slice(0, most)) await take(digest);
  if (held.length >= most) return held;
  const known = new Set(earlier);
  const placeOf = (digest: string): number => derivedSeed(seed, hashText(digest));
  const open = (await edge.requests())
    .filter(({ digest }) => !known.has(digest))
    .toSorted((a, b) => placeOf(a.digest) - placeOf(b.digest));
  let reads = READS_PER_PLACE * (most - held.length);
  for (const { digest, visitorId } of open) {
    if (held.length >= most || reads === 0) break;
    if (held.some((other) => other.visitorId === visitorId)) continue;
    reads -= 1;
    await take(digest);
  }
  return held;
}

/** Whether the record is the one that was asked for, and the policy can answer its request. */
async function isAnswerable(
  { digest, trajectory }: HeldOutRequest,
  { baseModel, vocabularySize, contextLength }: Parameters<typeof heldOutRequests>[1],
): Promise<boolean> {
  if (trajectory.task !== null || trajectory.baseModel !== baseModel) return false;
  const prompt = promptOf(trajectory)?.flatMap(({ tokenIds }) => tokenIds) ?? [];
  if (prompt.length === 0 || prompt.length >= contextLength) return false;
  return (
    prompt.every((id) => id < vocabularySize) && (await trajectoryDigest(trajectory)) === digest
  );
}
