/** Texts as sets of words: how alike two are, and what they share. No model, no language. */

/** Letters and digits in lower case, in order. */
function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}

/** Words that both have, each once, and what share of all their words those are (Jaccard). */
export function wordOverlap(
  a: string,
  b: string,
): { readonly shared: readonly string[]; readonly likeness: number } {
  const [first, second] = [new Set(wordsOf(a)), new Set(wordsOf(b))];
  const shared = [...second].filter((word) => first.has(word));
  const all = first.size + second.size - shared.length;
  return { shared, likeness: all === 0 ? 0 : shared.length / all };
}
