/** Descriptions: hand-written examples, the search against a plain filter, and what is drawn. */
import { mulberry32 } from "@waggle/protocol";
import { describe, expect, test } from "vitest";
import { searchProducts } from "../../catalogue.ts";
import { CATALOGUE, type Product } from "../../catalogue-data.ts";
import { redrawnCatalogue } from "../../redrawn-catalogue.ts";
import { type Described, describedBy, drawDescribed, type Rank } from "./description.ts";
import { phraseOf } from "./phrase.ts";

type Example = {
  readonly category: string;
  readonly wanted?: readonly string[];
  readonly unwanted?: string;
  readonly limit?: number;
  readonly rank?: Rank;
};

function described({
  category,
  wanted = [],
  unwanted = "",
  limit = 0,
  rank,
}: Example): Described | null {
  const conditions = {
    category,
    wanted,
    unwanted: unwanted === "" ? null : unwanted,
    limit: limit === 0 ? null : limit,
  };
  return describedBy(conditions, rank ?? null, CATALOGUE);
}

/** What each description means, from reading the table of products. */
const MEANT: readonly (readonly [said: string, example: Example, item: string])[] = [
  [
    "a warm scarf, but nothing in red",
    { category: "scarf", wanted: ["warm"], unwanted: "red" },
    "Nordic Scarf",
  ],
  [
    "the cheapest wooden lamp",
    { category: "lamp", wanted: ["wood"], rank: "cheapest" },
    "Desk Lamp",
  ],
  [
    "a white notebook under 12, no leather",
    { category: "notebook", wanted: ["white"], unwanted: "leather", limit: 12 },
    "Garden Notebook",
  ],
  [
    "the leather notebooks without cotton",
    { category: "notebook", wanted: ["leather"], unwanted: "cotton" },
    "Moon Notebook",
  ],
  [
    "the waterproof jacket with the highest rating",
    { category: "jacket", wanted: ["waterproof"], rank: "best" },
    "Trail Jacket Pro",
  ],
  ["the second cheapest lamp", { category: "lamp", rank: "second" }, "Desk Lamp"],
  [
    "a red notebook, leather-free, 20 or below",
    { category: "notebook", wanted: ["red"], unwanted: "leather", limit: 20 },
    "Classic Notebook",
  ],
  [
    "the most expensive wooden chair",
    { category: "chair", wanted: ["wood"], rank: "dearest" },
    "Desk Chair",
  ],
  [
    "the worst rated wooden lamp",
    { category: "lamp", wanted: ["wood"], rank: "worst" },
    "Desk Lamp",
  ],
  ["the best rated scarf under 50", { category: "scarf", rank: "best", limit: 50 }, "Garden Scarf"],
];

test.each(MEANT)("%s", (_, example, item) => {
  expect(described(example)?.item?.name).toBe(item);
});

test("several products without a rank are a choice", () => {
  const red = described({ category: "scarf", wanted: ["red"], unwanted: "cotton" });
  expect(red?.item).toBeNull();
  expect(red?.matching.map(({ name }) => name)).toEqual(["City Scarf", "Sun Scarf"]);
});

test("nothing fits if all that is wanted has what is not", () => {
  expect(described({ category: "mug", wanted: ["blue"], unwanted: "steel" })?.matching).toEqual([]);
});

describe("there is no description", () => {
  test.each<[string, Example]>([
    // A search shows three of six lamps.
    ["of the last of more than a search shows", { category: "lamp", rank: "dearest" }],
    // No hat under 30 is warm, and a search finds other hats.
    ["that a search answers wrongly", { category: "hat", wanted: ["warm"], limit: 30 }],
    ["with an idle exclusion", { category: "lamp", unwanted: "leather", rank: "cheapest" }],
    ["with an idle limit", { category: "mug", limit: 100 }],
    // Both are rated 4.6.
    ["of a place that two share", { category: "mug", wanted: ["small"], rank: "best" }],
  ])("%s", (_, example) => {
    expect(described(example)).toBeNull();
  });
});

/** What fits, by the slow way. */
function plain({ category, wanted, unwanted, limit }: Described, goods: readonly Product[]) {
  const fitting: Product[] = [];
  for (const item of goods) {
    let fits = item.category === category;
    for (const word of wanted) if (!item.attributes.includes(word)) fits = false;
    for (const word of item.attributes) if (word === unwanted) fits = false;
    if (limit !== null && item.price > limit) fits = false;
    if (fits) fitting.push(item);
  }
  return fitting;
}

/** The item of a rank, by comparing it with each other one. */
function plainRanked(fitting: readonly Product[], rank: Rank): Product | undefined {
  const below = (item: Product, field: "price" | "rating") =>
    fitting.filter((other) => other[field] < item[field]).length;
  const last = fitting.length - 1;
  return fitting.find((item) => {
    if (rank === "best") return below(item, "rating") === last;
    if (rank === "worst") return below(item, "rating") === 0;
    if (rank === "dearest") return below(item, "price") === last;
    return below(item, "price") === (rank === "second" ? 1 : 0);
  });
}

test("a search finds what a plain filter finds, in any catalogue", () => {
  const wrong: string[] = [];
  const ranks = new Set<Rank | null>();
  for (let seed = 0; seed < 400; seed += 1) {
    const random = mulberry32(seed);
    const goods = seed % 2 === 0 ? CATALOGUE : redrawnCatalogue(random);
    const drawn = drawDescribed(random, goods, () => true);
    if (drawn === null) continue;
    const { search, rank, item } = drawn;
    ranks.add(rank);
    const fitting = plain(drawn, goods);
    const found = searchProducts(search, goods);
    if (new Set([...found, ...fitting]).size !== fitting.length) wrong.push(search.query);
    const meant = fitting.length === 1 && rank === null ? fitting[0] : null;
    const expected = rank === null ? meant : plainRanked(fitting, rank);
    if (item !== expected) wrong.push(`${rank} ${search.query}`);
  }
  expect(wrong).toEqual([]);
  expect(ranks.size).toBe(6);
});

test('one that is meant instead is not "a one"', () => {
  const drawn = described({ category: "scarf", wanted: ["warm"], unwanted: "red" }) as Described;
  const phrases = Array.from({ length: 100 }, (_, seed) =>
    phraseOf(drawn, { noun: "one" }, mulberry32(seed), false),
  );
  expect(phrases.filter(({ described: text }) => /\ban? one\b/.test(text))).toEqual([]);
});

test("a phrase is filled, and words that are held out differ from those of training", () => {
  const drawn = described({
    category: "notebook",
    wanted: ["white"],
    unwanted: "leather",
    limit: 12,
  }) as Described;
  const phrases = (unseen: boolean) =>
    Array.from({ length: 300 }, (_, seed) => phraseOf(drawn, {}, mulberry32(seed), unseen));
  const [seen, unseen] = [phrases(false), phrases(true)];
  const all = [...seen, ...unseen].flatMap((phrase) => Object.values(phrase));
  expect(all.filter((text) => /[{}]|undefined|null| {2}|,,/.test(text))).toEqual([]);
  expect(all.filter((text) => text.trim() !== text)).toEqual([]);
  expect(seen.every(({ described: text, specs }) => /12/.test(text) && /12/.test(specs))).toBe(
    true,
  );
  expect(new Set(seen.map(({ described: text }) => text)).size).toBeGreaterThan(250);
  const has = (of: typeof seen, part: string) =>
    of.some(({ described: text }) => text.includes(part));
  // The fourth piece of a table is held out.
  expect([has(seen, "for under 12"), has(unseen, "for under 12")]).toEqual([false, true]);
});
