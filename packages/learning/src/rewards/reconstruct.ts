/**
 * `reconstruct`: an output is good where a reader can recover the brief or the label from it, and the
 * output does not simply quote it.
 *
 * Source: SlideRL (inverse specification reward), RISE (rationale must not leak the annotation).
 */
import { normalizedWords, tokenF1 } from "./answer-match.ts";

/** Whether the words of the secret stand in the text in one piece. */
export function leaks(text: string, secret: string): boolean {
  const wanted = normalizedWords(secret).join(" ");
  return wanted !== "" && ` ${normalizedWords(text).join(" ")} `.includes(` ${wanted} `);
}

/**
 * Token F1 between the original and what a reader recovered from the output; 0 where the output leaks
 * the original.
 */
export function reconstructionReward(original: string, recovered: string, output: string): number {
  return leaks(output, original) ? 0 : tokenF1(recovered, original);
}
