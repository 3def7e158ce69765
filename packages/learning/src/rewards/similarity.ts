/**
 * `similarity`: similarity to a reference, of embeddings or of sequences. Embeddings come from a port; this
 * module has only the arithmetic.
 *
 * Source: VLA-RFT (likeness to a reference trajectory), ARP (embedding rewards).
 */
import { WaggleError } from "@waggle/protocol";
import { requireSameLength } from "../statistics.ts";

/** Cosine in [−1, 1]. @throws WaggleError `INVALID_ARGUMENT` for a vector of zeros. */
export function cosineSimilarity(a: ArrayLike<number>, b: ArrayLike<number>): number {
  requireSameLength("embedding", a.length, "reference", b.length);
  let dot = 0;
  let squareA = 0;
  let squareB = 0;
  for (let i = 0; i < a.length; i += 1) {
    dot += a[i]! * b[i]!;
    squareA += a[i]! ** 2;
    squareB += b[i]! ** 2;
  }
  if (squareA === 0 || squareB === 0) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `an embedding of ${a.length} numbers is all zeros; check the embedder`,
    );
  }
  return dot / Math.sqrt(squareA * squareB);
}

/**
 * Length of the longest common subsequence divided by that of the longer list, in [0, 1]: order counts, gaps
 * do not. 1 for two empty lists.
 */
export function sequenceSimilarity<T>(
  actual: readonly T[],
  reference: readonly T[],
  equal: (a: T, b: T) => boolean = Object.is,
): number {
  const longer = Math.max(actual.length, reference.length);
  if (longer === 0) return 1;
  let above = Array.from({ length: reference.length + 1 }, () => 0);
  for (const item of actual) {
    const row = [0];
    for (const [j, other] of reference.entries()) {
      row.push(equal(item, other) ? above[j]! + 1 : Math.max(row[j]!, above[j + 1]!));
    }
    above = row;
  }
  return above[reference.length]! / longer;
}
