/**
 * Placeholder words for a GGUF file's vocabulary, because programs around llama.cpp take a text only. A word is a space and four
 * letters. llama.cpp splits a text before each space and finds a whole word without merging letters, so reading a text costs
 * next to nothing.
 */

const LETTERS = 4;
const FIRST = "a".charCodeAt(0);

/** The word of a token as it occurs in texts, such as ` aaab` for 1. */
export function ggufWord(tokenId: number): string {
  let word = "";
  for (let rest = tokenId, i = 0; i < LETTERS; i++, rest = Math.floor(rest / 26)) {
    word = String.fromCharCode(FIRST + (rest % 26)) + word;
  }
  return ` ${word}`;
}

/** The tokens of a text of such words. */
export function ggufTokenIds(text: string): number[] {
  return text
    .split(" ")
    .filter(Boolean)
    .map((word) => Array.from(word).reduce((sum, letter) => 26 * sum + letter.charCodeAt(0) - FIRST, 0));
}
