import { expect, test } from "vitest";
import { LIBRARY } from "./library.ts";
import { searchIndex, searchWords } from "./search-index.ts";

const DOCUMENTS = [
  { id: "a", text: "the cat sat" },
  { id: "b", text: "the dog sat on the cat" },
  { id: "c", text: "a bird" },
];

test("scores are BM25 with Lucene's inverse document frequency, computed by hand", () => {
  // "cat" is in 2 of 3 documents: ln(1 + 1.5 / 2.5). The mean length is 11 / 3 words.
  const rarity = Math.log(1 + 1.5 / 2.5);
  const score = (count: number, length: number): number =>
    (rarity * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * length * 3) / 11));
  expect(score(1, 3)).toBeGreaterThan(score(1, 6));
  expect(
    searchIndex(DOCUMENTS)
      .ranked("cat", 3)
      .map(({ id }) => id),
  ).toEqual(["a", "b"]);
  expect(searchIndex(DOCUMENTS).ranked("dog cat", 1)[0]?.id).toBe("b");
});

test("ranking equals that of a plain implementation, for words in any order", () => {
  const index = searchIndex(DOCUMENTS);
  const plain = (query: string): string[] => {
    const words = new Set(searchWords(query));
    const texts = DOCUMENTS.map(({ text }) => text.split(" "));
    const mean = texts.flat().length / texts.length;
    const scores = texts.map((text, d) => {
      let score = 0;
      for (const word of words) {
        const holding = texts.filter((other) => other.includes(word)).length;
        const rarity = Math.log(1 + (texts.length - holding + 0.5) / (holding + 0.5));
        const count = text.filter((other) => other === word).length;
        score += (rarity * count * 2.2) / (count + 1.2 * (1 - 0.75 + (0.75 * text.length) / mean));
      }
      return { id: DOCUMENTS[d]?.id ?? "", score };
    });
    return scores
      .filter(({ score }) => score > 0)
      .toSorted((x, y) => y.score - x.score)
      .map(({ id }) => id);
  };
  for (const query of ["the", "sat the", "CAT, sat!", "bird dog", "nobody", "", "on on on a"]) {
    expect(index.ranked(query, 9).map(({ id }) => id)).toEqual(plain(query));
  }
});

test("a search for all words finds nothing if one is missing or none is given", () => {
  const index = searchIndex(DOCUMENTS);
  expect(index.holding("cat the", 9).map(({ id }) => id)).toEqual(["a", "b"]);
  expect(index.holding("cat bird", 9)).toEqual([]);
  expect(index.holding("", 9)).toEqual([]);
});

async function asked(calls: readonly { name: string; arguments: Record<string, string> }[]) {
  const reference = LIBRARY.reference(4, "train", 1);
  const instance = LIBRARY.create(reference);
  await instance.environment.observe();
  const results = [];
  for (const [i, call] of calls.entries()) {
    const { toolResults } = await instance.environment.step(
      { text: "", toolCalls: [{ id: `c${i}`, ...call }] },
      new AbortController().signal,
    );
    results.push(...toolResults);
  }
  return { results, parts: (await instance.judge(null)).parts };
}

test("a search finds both directions of a relation, and the verifier reports found and relevant documents", async () => {
  const { results, parts } = await asked([
    { name: "about", arguments: { name: "ann" } },
    { name: "search", arguments: { query: "xyz" } },
    { name: "count", arguments: { word: "boss" } },
  ]);
  expect(results[0]).toMatchObject({
    ok: true,
    value: expect.stringMatching(/^ann boss \w+; ann friend/),
  });
  expect(results[1]).toMatchObject({ ok: false, error: { message: "nothing found" } });
  expect(results[2]).toMatchObject({ ok: true, value: "16" });
  expect(parts["found"]).toBe("ann-boss ann-friend ann-city||");
  expect(String(parts["relevant"]).split(" ")).toHaveLength(2);
});
