/**
 * `f1` and `multi-ref`: how well an answer matches references, over normalized words. Not a judge: it sees no
 * meaning beyond words.
 *
 * Source: Rajpurkar et al. 2016, "SQuAD", arXiv:1606.05250 (normalization, token F1, exact match).
 */
import { WaggleError } from "@waggle/protocol";
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import type { RewardPart } from "../composition/part.ts";
import { rewardPart } from "./reward-part.ts";

/** Lower-case words without punctuation and English articles. Letters of all scripts stay. */
export function normalizedWords(text: string): string[] {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s]/gu, " ")
    .split(/\s+/u)
    .filter((word) => word !== "" && !["a", "an", "the"].includes(word));
}

/** 1 if the normalized words are equal and in the same order, else 0. */
export function exactMatch(answer: string, reference: string): number {
  return normalizedWords(answer).join(" ") === normalizedWords(reference).join(" ") ? 1 : 0;
}

/** Harmonic mean of precision and recall over words with their counts; 1 for two empty texts. */
export function tokenF1(answer: string, reference: string): number {
  const own = normalizedWords(answer);
  const gold = normalizedWords(reference);
  if (own.length === 0 || gold.length === 0) return own.length === gold.length ? 1 : 0;
  const left = new Map<string, number>();
  for (const word of gold) left.set(word, (left.get(word) ?? 0) + 1);
  let common = 0;
  for (const word of own) {
    const count = left.get(word) ?? 0;
    if (count === 0) continue;
    common += 1;
    left.set(word, count - 1);
  }
  return (2 * common) / (own.length + gold.length);
}

/**
 * The best match over several references that are equally right.
 *
 * @throws WaggleError `INVALID_ARGUMENT` without a reference.
 */
export function bestOverReferences<T>(
  references: readonly T[],
  match: (reference: T) => number,
): number {
  if (references.length === 0) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      "the task has no reference answer; pass one or choose a reward without references",
    );
  }
  return Math.max(...references.map(match));
}

/** A text of the verification's parts. @throws WaggleError `INVALID_ARGUMENT` if it is missing. */
export function wordsOf(
  { verification, id }: JudgedTrajectory,
  part: "request" | "text" | "answer",
): string {
  const words = verification.parts[part];
  if (typeof words === "string" || typeof words === "number") return String(words);
  throw new WaggleError(
    "INVALID_ARGUMENT",
    `the reward needs a verifier that reports ${part}, got trajectory ${id} without it; choose an environment that provides it, such as lookup`,
  );
}

/** Results of the tools, call by call. */
export function resultsOf({ turns }: JudgedTrajectory): string[] {
  return turns.flatMap(({ toolResults }) =>
    toolResults.flatMap((result) =>
      result.ok
        ? [typeof result.value === "string" ? result.value : JSON.stringify(result.value)]
        : [],
    ),
  );
}

/** `f1`: words of the last turn compared with those of the reference answer. */
export function answerF1(): RewardPart {
  return rewardPart("f1", (trajectory) => ({
    total: bestOverReferences([wordsOf(trajectory, "answer")], (reference) =>
      tokenF1(wordsOf(trajectory, "text"), reference),
    ),
  }));
}
