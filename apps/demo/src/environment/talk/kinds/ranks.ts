/** Questions and wishes about a place in an order: the second or third by price or rating, and the best within a limit. */
import { pick } from "@waggle/environments";
import type { RandomSource } from "@waggle/protocol";
import { searchProducts } from "../../catalogue.ts";
import type { Product } from "../../catalogue-data.ts";
import type { Assistant, Hit } from "../assistant.ts";
import { addedAnswer, addedOf, askedAbout, next } from "../scene.ts";
import type { DrawTurn, TurnsOf } from "../talk-turn.ts";
import { type Description, drawDescription } from "../values.ts";
import { bestOf, drawLimited } from "./range-questions.ts";

type Field = "price" | "rating";

/** Places that a search shows, except the first, as an answer says them and as people may type them. */
const PLACES: readonly { readonly at: number; readonly said: readonly [string, string] }[] = [
  { at: 1, said: ["second", "2nd"] },
  { at: 2, said: ["third", "3rd"] },
];
/** Superlatives. The first is that of an answer. */
export const SUPERLATIVES: { readonly [field in Field]: readonly [string, ...string[]] } = {
  price: ["cheapest", "lowest priced", "least expensive", "most affordable"],
  rating: ["best rated", "highest rated", "best reviewed", "top rated"],
};

/** The product at a place of an order, and the one at the top. */
type Ranked = Description & {
  readonly item: Product;
  readonly first: Product;
  readonly at: number;
  readonly field: Field;
  /** Such as "second cheapest", as an answer says it. */
  readonly place: string;
};

/** A description and a place in its order. `null` if two products share a place. */
function drawRanked(random: RandomSource, goods: readonly Product[]): Ranked | null {
  const description = drawDescription(random, goods);
  const field = random() < 0.5 ? "price" : "rating";
  const { at, said } = pick(random, PLACES);
  const sorted = searchProducts({ query: description.query, sort: field }, goods);
  const values = sorted.slice(0, at + 2).map((item) => item[field]);
  const [first, item] = [sorted[0], sorted[at]];
  if (first === undefined || item === undefined) return null;
  if (new Set(values).size < values.length) return null;
  const superlatives = SUPERLATIVES[field];
  const rank = `${pick(random, said)} ${pick(random, superlatives)}`;
  const place = `${said[0]} ${superlatives[0]}`;
  const slots = { ...description.slots, rank };
  return { ...description, slots, item, first, at, field, place };
}

/** The hit at the place. A mistake takes the first. */
async function ranked(
  assistant: Assistant,
  { query, at, field }: Ranked,
): Promise<Hit | undefined> {
  const hits = await assistant.search({ query, sort: field });
  return assistant.errs() ? hits[0] : hits[at];
}

const question: DrawTurn = (random, scene) => {
  const drawn = drawRanked(random, scene.goods);
  if (drawn === null) return null;
  const { item, field, place, query, slots } = drawn;
  return {
    kind: "rank-question",
    slots,
    expected: { cart: scene.cart, form: "answer", facts: [[item.name], item[field]] },
    conduct: async (assistant) => {
      const hit = await ranked(assistant, drawn);
      if (hit === undefined) return "";
      const value = field === "price" ? `at ${hit.price} EUR` : `with ${hit.rating} of 5`;
      return assistant.answered(hit, `The ${place} is the ${hit.name} ${value}.`);
    },
    after: askedAbout(scene, item, query),
  };
};

const addition: DrawTurn = (random, scene) => {
  const drawn = drawRanked(random, scene.goods);
  if (drawn === null) return null;
  const { item, first, query, slots } = drawn;
  if (scene.cart.some(({ id }) => id === item.id)) return null;
  const after = addedOf(scene, item, 1, query);
  return {
    kind: "add-by-rank",
    slots,
    expected: addedAnswer(after, item),
    conduct: async (assistant) => {
      const hit = await ranked(assistant, drawn);
      return hit === undefined ? "" : assistant.add(hit);
    },
    after,
    near: { id: first.id },
  };
};

const bestUnder: DrawTurn = (random, scene) => {
  const drawn = drawLimited(random, scene.goods);
  if (drawn === null) return null;
  const { query, limit, fitting, slots } = drawn;
  const item =
    fitting.length === 1 ? (fitting[0] ?? null) : bestOf({ matching: fitting }, "rating");
  if (item === null && fitting.length > 0) return null;
  return {
    kind: "best-under-question",
    slots: { ...slots, limit: String(limit) },
    expected: {
      cart: scene.cart,
      form: "answer",
      facts: item === null ? [["nothing", "none", "no ", "not"]] : [[item.name], item.rating],
    },
    conduct: async (assistant) => {
      const [hit] = await assistant.search({ query, maxPrice: limit, sort: "rating" });
      if (hit === undefined) return `We have nothing under ${limit} EUR.`;
      const text = `The best rated under ${limit} EUR is the ${hit.name} with ${hit.rating} of 5.`;
      return assistant.answered(hit, text);
    },
    after: item === null ? next(scene, { last: null }) : askedAbout(scene, item, query),
  };
};

export const RANK_TURNS: TurnsOf<"rank-question" | "add-by-rank" | "best-under-question"> = {
  "rank-question": question,
  "add-by-rank": addition,
  "best-under-question": bestUnder,
};
