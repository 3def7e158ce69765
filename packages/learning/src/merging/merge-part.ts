/** Creates merge parts. */
import type { MergePart } from "../composition/part.ts";

export function mergeOp(merge: MergePart["merge"]): MergePart {
  return { slot: "loss", part: "merge-op", needs: ["delta"], merge };
}
