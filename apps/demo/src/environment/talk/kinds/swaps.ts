/** Swaps of what is in the cart for the cheapest or the best rated product of its category. */
import { pick } from "@waggle/environments";
import { searchProducts } from "../../catalogue.ts";
import { addCall, type Assistant, type Hit, removeCall } from "../assistant.ts";
import { next, singleLines, withPieces } from "../scene.ts";
import type { DrawTurn, TurnsOf } from "../talk-turn.ts";
import { attributeWord, categoryWords } from "../values.ts";
import { SWAPS } from "../wordings/index.ts";
import { bestOf } from "./range-questions.ts";

/** Share of the swaps for a product with an attribute. */
const ATTRIBUTE_SHARE = 0.35;

const swap: DrawTurn = (random, scene) => {
  const single = singleLines(scene).filter(({ quantity }) => quantity === 1);
  if (single.length === 0) return null;
  const { item: old } = pick(random, single);
  const sort = random() < 0.5 ? "price" : "rating";
  const ofCategory = searchProducts({ query: old.category, sort }, scene.goods);
  const attributes = [...new Set(ofCategory.flatMap((item) => item.attributes))];
  const attribute = random() < ATTRIBUTE_SHARE ? pick(random, attributes) : null;
  const query = attribute === null ? old.category : `${attribute} ${old.category}`;
  const matching = searchProducts({ query, sort }, scene.goods);
  const item = bestOf({ matching }, sort);
  if (item === null || item === old) return null;
  const cart = withPieces(withPieces(scene.cart, old, 0), item, 1);
  const second = matching[1];
  return {
    kind: "swap-by-category",
    slots: {
      line: categoryWords(old, random).one,
      ...(attribute === null ? {} : { attribute: attributeWord(attribute, random) }),
    },
    needs: attribute === null ? [] : ["attribute"],
    patterns: SWAPS[sort],
    expected: { cart, form: "answer", facts: [[old.name], [item.name], item.price] },
    conduct: async (assistant) => {
      const order = assistant.errs() ? {} : { sort };
      const [view, hits] = await assistant.act(["view_cart", {}], ["search", { query, ...order }]);
      const { lines } = view as Awaited<ReturnType<Assistant["cart"]>>;
      const line = assistant.choose(lines, old);
      const [hit] = hits as readonly Hit[];
      if (hit === undefined) return "";
      const out = assistant.errs() ? [] : [removeCall(line)];
      // Results that are sorted by rating have no price.
      const look = hit.price === undefined ? [["open", { id: hit.id }] as const] : [];
      const results = await assistant.act(...out, addCall(hit, 1), ...look);
      const price = hit.price ?? (results.at(-1) as { price: number }).price;
      return `I replaced the ${line.name} with the ${hit.name} (${price} EUR).`;
    },
    after: next(scene, { cart, last: null }),
    ...(second === undefined ? {} : { near: { id: second.id } }),
  };
};

export const SWAP_TURNS: TurnsOf<"swap-by-category"> = { "swap-by-category": swap };
