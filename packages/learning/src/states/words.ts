/** Texts as sets of words: how alike two are, and what they share. No model, no language. */

/** Letters and digits in lower case, in order. */
export function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}

/** Words that both have, each once. */
export function sharedWords(a: string, b: string): string[] {
  const wanted = new Set(wordsOf(a));
  return [...new Set(wordsOf(b))].filter((word) => wanted.has(word));
}

/** Shared words out of all words, in [0, 1] (Jaccard); 0 where neither has any. */
export function wordLikeness(a: string, b: string): number {
  const shared = sharedWords(a, b).length;
  const all = new Set([...wordsOf(a), ...wordsOf(b)]).size;
  return all === 0 ? 0 : shared / all;
}
