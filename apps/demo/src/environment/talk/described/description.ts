/**
 * A description of what is wanted: a category, attributes to have and one to lack, a limit of the price, and a place
 * in an order. One search finds it.
 */
import { pick } from "@waggle/environments";
import type { RandomSource } from "@waggle/protocol";
import { searchProducts } from "../../catalogue.ts";
import type { Product } from "../../catalogue-data.ts";
import type { Assistant, Hit, Search } from "../assistant.ts";
import { limitNear } from "../values.ts";

/** A place in the order of prices or ratings. */
export type Rank = "cheapest" | "second" | "dearest" | "best" | "worst";

/** What a product must be. */
export type Conditions = {
  readonly category: string;
  readonly wanted: readonly string[];
  readonly unwanted: string | null;
  /** Euros. No product of the category costs just that. */
  readonly limit: number | null;
};

/** Conditions with what fits them. */
export type Described = Conditions & {
  readonly rank: Rank | null;
  readonly search: Search;
  /** What fits, in the order of the search. */
  readonly matching: readonly Product[];
  /** What is meant: that of the rank, or all that is left. `null` if nothing fits, or several without a rank. */
  readonly item: Product | null;
  /** A product of the category that is not meant. */
  readonly other: Product | null;
};

/** Results that a search shows. */
export const SHOWN = 3;
/** Draws before a description is given up. */
const DRAWS = 60;
/** Shares of the descriptions. */
const SHARE = { none: 0.3, one: 0.45, unwanted: 0.4, limit: 0.3, rank: 0.45, low: 0.15 };
/** A rank that occurs twice is drawn twice as often. */
const RANKS: readonly Rank[] = [
  "cheapest",
  "cheapest",
  "cheapest",
  "best",
  "best",
  "best",
  "second",
  "dearest",
  "worst",
];
const SORTS: { readonly [rank in Rank]: "price" | "rating" } = {
  cheapest: "price",
  second: "price",
  dearest: "price",
  best: "rating",
  worst: "rating",
};

/** The place of a rank among results of its order; -1 is the last. */
function placeOf(rank: Rank): number {
  if (rank === "second") return 1;
  return rank === "dearest" || rank === "worst" ? -1 : 0;
}

/** The entry of a rank. */
function ranked<Entry>(entries: readonly Entry[], rank: Rank): Entry | undefined {
  return entries.at(placeOf(rank));
}

function fits({ category, wanted, unwanted, limit }: Conditions, item: Product): boolean {
  return (
    item.category === category &&
    wanted.every((word) => item.attributes.includes(word)) &&
    (unwanted === null || !item.attributes.includes(unwanted)) &&
    (limit === null || item.price < limit)
  );
}

/** What is meant by a rank. `null` if two products share the place, or if a search does not show it. */
function rankedItem(sorted: readonly Product[], rank: Rank): Product | null {
  const item = ranked(sorted, rank);
  const field = SORTS[rank];
  if (item === undefined || sorted.length < 2) return null;
  // The last of more results than a search shows cannot be found.
  if (placeOf(rank) < 0 && sorted.length > SHOWN) return null;
  return sorted.filter((one) => one[field] === item[field]).length > 1 ? null : item;
}

/** The description of some conditions. `null` if a search does not find just what fits, or a condition rules nothing out. */
export function describedBy(
  conditions: Conditions,
  rank: Rank | null,
  goods: readonly Product[],
): Described | null {
  const { category, wanted, unwanted, limit } = conditions;
  const left = unwanted === null ? [] : [`-${unwanted}`];
  const search = {
    query: [...wanted, category, ...left].join(" "),
    ...(limit === null ? {} : { maxPrice: limit }),
    ...(rank === null ? {} : { sort: SORTS[rank] }),
  };
  const matching = searchProducts(search, goods);
  const fitting = goods.filter((item) => fits(conditions, item));
  if (matching.length !== fitting.length || !matching.every((item) => fitting.includes(item)))
    return null;
  const looser = goods.filter((item) => fits({ ...conditions, unwanted: null, limit: null }, item));
  if (unwanted !== null && looser.every(({ attributes }) => !attributes.includes(unwanted)))
    return null;
  if (limit !== null && looser.every(({ price }) => price < limit)) return null;
  const single = matching.length === 1 ? (matching[0] ?? null) : null;
  const item = rank === null ? single : rankedItem(matching, rank);
  if (rank !== null && item === null) return null;
  const others = [
    ...matching,
    ...looser,
    ...goods.filter((one) => one.category === category),
  ].filter((one) => one !== item && !(rank === null && matching.includes(one)));
  return { ...conditions, rank, search, matching, item, other: others[0] ?? null };
}

function drawConditions(
  random: RandomSource,
  goods: readonly Product[],
  category: string,
): [Conditions, Rank | null] | null {
  const ofCategory = goods.filter((item) => item.category === category);
  const { attributes } = pick(random, ofCategory);
  const share = random();
  const count = share < SHARE.none ? 0 : share < SHARE.none + SHARE.one ? 1 : 2;
  const wanted = new Set<string>();
  while (wanted.size < Math.min(count, attributes.length)) wanted.add(pick(random, attributes));
  const rank = random() < SHARE.rank ? pick(random, RANKS) : null;
  const words = ofCategory.flatMap((item) => item.attributes).filter((word) => !wanted.has(word));
  const unwanted = random() < SHARE.unwanted && words.length > 0 ? pick(random, words) : null;
  // The cheapest is under any limit.
  const isLimited = (rank === null || rank === "best") && random() < SHARE.limit;
  const prices = ofCategory.map(({ price }) => price).toSorted((a, b) => a - b);
  const near = random() < SHARE.low ? (prices[0] ?? 0) * 0.7 : pick(random, prices);
  const limit = isLimited ? limitNear(near, ofCategory, random) : null;
  if (isLimited && limit === null) return null;
  if (wanted.size + Number(rank !== null) + Number(unwanted !== null) + Number(isLimited) === 0)
    return null;
  return [{ category, wanted: [...wanted], unwanted, limit }, rank];
}

/** A description that is accepted; `null` if these draws give none. @param of - categories to draw from */
export function drawDescribed(
  random: RandomSource,
  goods: readonly Product[],
  accepts: (described: Described) => boolean,
  of: readonly string[] = goods.map(({ category }) => category),
): Described | null {
  for (let draw = 0; draw < DRAWS; draw += 1) {
    const drawn = drawConditions(random, goods, pick(random, of));
    const described = drawn === null ? null : describedBy(...drawn, goods);
    if (described !== null && accepts(described)) return described;
  }
  return null;
}

/** What a search for a description asks for. A mistake forgets what is not wanted. */
export function searchOf(assistant: Assistant, { search }: Described): Search {
  const { query } = search;
  return { ...search, query: assistant.errs() ? query.replace(/ -.*/, "") : query };
}

/** The hits that can be meant: one for a rank, else all. */
export function meantAmong(hits: readonly Hit[], { rank }: Described): readonly Hit[] {
  if (rank === null) return hits;
  const hit = ranked(hits, rank);
  return hit === undefined ? [] : [hit];
}
