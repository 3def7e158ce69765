/**
 * A small search index: documents ranked by BM25, or all documents that contain every word. No stemming,
 * nothing on disk.
 *
 * Source: Robertson and Zaragoza 2009, "The Probabilistic Relevance Framework: BM25 and Beyond", §3. The
 * inverse document frequency is Lucene's, which is never negative.
 */
/** A document with its id. */
export type SearchDocument = { readonly id: string; readonly text: string };

/** Searches over a fixed list of documents. */
export type SearchIndex = {
  /** Up to `limit` documents that share a word with the query, best first. Ties keep document order. */
  readonly ranked: (query: string, limit: number) => SearchDocument[];
  /** The first `limit` documents that contain all of these words. */
  readonly holding: (words: string, limit: number) => SearchDocument[];
};

/** Usual BM25 constants: saturation of repeated words, and the weight of document length. */
const K1 = 1.2;
const B = 0.75;

/** The words of a text: runs of letters and digits in lower case. */
export function searchWords(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}

/** Builds the index. */
export function searchIndex(documents: readonly SearchDocument[]): SearchIndex {
  const counted = documents.map(({ text }) => {
    const counts = new Map<string, number>();
    const words = searchWords(text);
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    return { counts, length: words.length };
  });
  const meanLength = counted.reduce((sum, { length }) => sum + length, 0) / counted.length;
  const rarity = (word: string): number => {
    const holding = counted.filter(({ counts }) => counts.has(word)).length;
    return Math.log(1 + (counted.length - holding + 0.5) / (holding + 0.5));
  };
  return {
    ranked(query, limit) {
      const wanted = [...new Set(searchWords(query))].map((word) => [word, rarity(word)] as const);
      return documents
        .map((document, d) => {
          const { counts, length } = counted[d] as (typeof counted)[number];
          let score = 0;
          for (const [word, weight] of wanted) {
            const count = counts.get(word) ?? 0;
            const norm = K1 * (1 - B + (B * length) / meanLength);
            score += (weight * count * (K1 + 1)) / (count + norm);
          }
          return { document, score };
        })
        .filter(({ score }) => score > 0)
        .toSorted((a, b) => b.score - a.score)
        .slice(0, limit)
        .map(({ document }) => document);
    },
    holding(words, limit) {
      const wanted = searchWords(words);
      return documents
        .filter((_, d) => wanted.length > 0 && wanted.every((word) => counted[d]?.counts.has(word)))
        .slice(0, limit);
    },
  };
}
