/** Wishes that a person corrects inside the same message. The last word counts. */
import type { Product } from "../../catalogue-data.ts";
import { priced } from "../answers.ts";
import { shown } from "../assistant.ts";
import { addedAnswer, addedOf, next } from "../scene.ts";
import type { DrawTurn, TurnsOf } from "../talk-turn.ts";
import { countOf, drawDescription, drawProducts, meant, nameOf } from "../values.ts";
import { bestOf, factsOf } from "./range-questions.ts";

const number: DrawTurn = (random, scene) => {
  const [drawn] = drawProducts(random, 1, scene) as [Product];
  const { item, said } = meant(drawn, random, scene.goods);
  const n = 1 + Math.floor(random() * 5);
  const m = 1 + Math.floor(random() * 6);
  if (m === n || Math.max(m, n) > item.stock) return null;
  const after = addedOf(scene, item, n);
  return {
    kind: "self-number",
    slots: { name: said, m: countOf(m, random), n: countOf(n, random) },
    expected: {
      cart: after.cart,
      form: "answer",
      facts: [[item.name], ...(n > 1 ? [n] : []), n * item.price],
    },
    conduct: async (assistant) => {
      const [hit] = await assistant.find(item);
      return hit === undefined ? "" : assistant.add(hit, assistant.errs() ? m : n);
    },
    after,
    near: { quantity: m },
  };
};

const product: DrawTurn = (random, scene) => {
  const [item, other] = drawProducts(random, 2, scene) as [Product, Product];
  const after = addedOf(scene, item, 1);
  return {
    kind: "self-product",
    slots: { name: nameOf(item, random, scene.goods), other: nameOf(other, random, scene.goods) },
    expected: addedAnswer(after, item, other),
    conduct: async (assistant) => {
      const [hit] = await assistant.find(assistant.errs() ? other : item);
      return hit === undefined ? "" : assistant.add(hit);
    },
    after,
    near: { id: other.id },
  };
};

const category: DrawTurn = (random, scene) => {
  const { query, matching, slots } = drawDescription(random, scene.goods);
  const wrong = drawDescription(random, scene.goods);
  if (matching.length < 2 || wrong.query === query) return null;
  const listed = matching.slice(0, 3);
  return {
    kind: "self-category",
    slots: { what: slots["what"], wrong: wrong.slots["what"] },
    expected: { cart: scene.cart, form: "clarification", facts: factsOf(matching) },
    conduct: async (assistant) => {
      assistant.listed = await assistant.search({ query: assistant.errs() ? wrong.query : query });
      const [first] = assistant.listed;
      if (first !== undefined && assistant.errs()) return assistant.add(first);
      const hits = assistant.listed.map((hit) => shown(hit));
      return `Which one do you want: ${priced(hits, "or")}?`;
    },
    after: next(scene, { last: null, listed }),
  };
};

const cheapest: DrawTurn = (random, scene) => {
  const description = drawDescription(random, scene.goods);
  const { query, slots } = description;
  const wrong = drawDescription(random, scene.goods);
  const item = bestOf(description, "price");
  const taken = bestOf(wrong, "price");
  if (item === null || taken === null || taken === item || wrong.query === query) return null;
  if (scene.cart.some(({ id }) => id === item.id)) return null;
  const after = addedOf(scene, item, 1, query);
  return {
    kind: "self-cheapest",
    slots: { what: slots["what"], wrong: wrong.slots["what"] },
    expected: addedAnswer(after, item),
    conduct: async (assistant) => {
      const words = assistant.errs() ? wrong.query : query;
      const [hit] = await assistant.search({ query: words, sort: "price" });
      return hit === undefined ? "" : assistant.add(hit);
    },
    after,
    near: { id: taken.id },
  };
};

export const SELF_CORRECTION_TURNS: TurnsOf<
  "self-number" | "self-product" | "self-category" | "self-cheapest"
> = {
  "self-number": number,
  "self-product": product,
  "self-category": category,
  "self-cheapest": cheapest,
};
