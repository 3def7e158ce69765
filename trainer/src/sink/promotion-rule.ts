/** The publisher's own comparison of two versions, applied beside the edge's gate. */
import { fallRefusal, pairedDifference } from "@waggle/evaluation";
import type { PublicationParts } from "./publication.ts";

/** Paired p-value below which a fall counts as real. */
const SIGNIFICANCE = 0.05;

/** @param margin - largest drop of the success rate, in [0, 1], that is attributed to noise */
export function promotionRule(margin: number): PublicationParts["mayPromote"] {
  return (candidate, earlier) =>
    fallRefusal(pairedDifference(earlier, candidate), { margin, significance: SIGNIFICANCE }) ===
    null;
}
