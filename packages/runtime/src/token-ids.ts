/** Checks that ids belong to a vocabulary. */
import { WaggleError } from "@waggle/protocol";

/** @throws WaggleError `INVALID_ARGUMENT` naming the first id outside this vocabulary. */
export function assertTokenIds(tokenIds: readonly number[], vocabularySize: number): void {
  for (const [index, id] of tokenIds.entries()) {
    if (!Number.isInteger(id) || id < 0 || id >= vocabularySize) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `tokenIds[${index}] is ${id}, outside the vocabulary [0, ${vocabularySize}); use this model's tokenizer`,
      );
    }
  }
}
