/** Similarity of texts as sets of words, without a model. */

/** Words of letters and digits, in lower case and in order. */
function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}

/** The common words, each once, and their share of all words (Jaccard similarity). */
export function wordOverlap(
  a: string,
  b: string,
): { readonly shared: readonly string[]; readonly likeness: number } {
  const [first, second] = [new Set(wordsOf(a)), new Set(wordsOf(b))];
  const shared = [...second].filter((word) => first.has(word));
  const all = first.size + second.size - shared.length;
  return { shared, likeness: all === 0 ? 0 : shared.length / all };
}
