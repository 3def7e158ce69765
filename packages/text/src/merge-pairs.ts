/**
 * Merges pairs of tokens in the order of a byte-pair encoding.
 *
 * Source: Sennrich et al. 2016, "Neural Machine Translation of Rare Words with Subword Units", arXiv:1508.07909, section
 * 3.2.
 */

/** Ids and positions are below it, so that two of them are one exact number. */
const BASE = 2 ** 26;

/** The key of a pair of ids. */
export const pairKey = (left: number, right: number): number => left * BASE + right;

/** A merge: its order, and the id of the token that it makes. */
export type Merge = { readonly rank: number; readonly id: number };

/** Merges by `pairKey`. */
export type Merges = ReadonlyMap<number, Merge>;

/** Merges the pair of lowest rank, the first one of several, until there is none. Takes n log n steps for n bytes. */
export function mergePairs(ids: number[], merges: Merges): number[] {
  const { length } = ids;
  const next = ids.map((_, at) => at + 1);
  const previous = ids.map((_, at) => at - 1);
  const mergeAt = (at: number): Merge | undefined => {
    const right = next[at] as number;
    return right < length
      ? merges.get(pairKey(ids[at] as number, ids[right] as number))
      : undefined;
  };
  const heap: number[] = [];
  const offer = (at: number): void => {
    const found = mergeAt(at);
    if (found !== undefined) push(heap, found.rank * BASE + at);
  };
  for (let at = 0; at < length; at++) offer(at);
  while (heap.length > 0) {
    const least = pop(heap);
    const at = least % BASE;
    const found = mergeAt(at);
    // The pair was merged already, or is another one now.
    if (found?.rank !== Math.floor(least / BASE)) continue;
    const right = next[at] as number;
    ids[at] = found.id;
    ids[right] = GONE;
    const after = (next[at] = next[right] as number);
    if (after < length) previous[after] = at;
    offer(at);
    if (at > 0) offer(previous[at] as number);
  }
  return ids.filter((id) => id !== GONE);
}

/** In place of an id that was merged into the one before it. */
const GONE = -1;

/** Adds a number to a binary heap, whose first number is the least. */
function push(heap: number[], value: number): void {
  let at = heap.push(value) - 1;
  for (let up; at > 0 && (heap[(up = (at - 1) >> 1)] as number) > value; at = up) {
    heap[at] = heap[up] as number;
  }
  heap[at] = value;
}

/** Removes the least number of a heap that is not empty. */
function pop(heap: number[]): number {
  const least = heap[0] as number;
  const value = heap.pop() as number;
  const { length } = heap;
  for (let at = 0; at < length;) {
    let down = 2 * at + 1;
    if (down + 1 < length && (heap[down + 1] as number) < (heap[down] as number)) down++;
    const isPlaced = down >= length || (heap[down] as number) >= value;
    heap[at] = isPlaced ? value : (heap[down] as number);
    if (isPlaced) break;
    at = down;
  }
  return least;
}
