/**
 * `retrieval`: relevant documents that were found, or cited. Not grounding: that a claim follows from
 * them is judged elsewhere.
 *
 * Source: Deep-DxSearch (retrieval reward), MC-Search.
 */
import { requireInside } from "../statistics.ts";

export type RetrievalReward = {
  /** Share of the relevant documents that were retrieved. */
  readonly recall: number;
  /** Share of the retrieved documents that are relevant; 1 where nothing was retrieved. */
  readonly precision: number;
};

/** Over distinct ids; `relevant` must not be empty. */
export function retrievalReward(
  retrieved: readonly string[],
  relevant: readonly string[],
): RetrievalReward {
  const found = new Set(retrieved);
  const wanted = new Set(relevant);
  requireInside("number of relevant documents", wanted.size, 1, Number.MAX_SAFE_INTEGER);
  const hits = [...wanted].filter((id) => found.has(id)).length;
  return { recall: hits / wanted.size, precision: found.size === 0 ? 1 : hits / found.size };
}

/** `[turns]` share of relevant documents that each turn found first: a document pays once. */
export function newlyRetrieved(
  retrievedByTurn: readonly (readonly string[])[],
  relevant: readonly string[],
): number[] {
  const left = new Set(relevant);
  const total = left.size;
  requireInside("number of relevant documents", total, 1, Number.MAX_SAFE_INTEGER);
  return retrievedByTurn.map((ids) => ids.filter((id) => left.delete(id)).length / total);
}
