/** Questions about one thing in the cart: its rating, price or number, and what the cart would cost without it. */
import { pick } from "@waggle/environments";
import { cartTotal } from "../../shop.ts";
import type { Assistant } from "../assistant.ts";
import { drawNamedLine } from "../named-lines.ts";
import { askedAbout, linesOf, next, singleLines, withPieces } from "../scene.ts";
import type { DrawTurn, TurnsOf } from "../talk-turn.ts";
import { categoryWords } from "../values.ts";
import { LINE_FACTS } from "../wordings/index.ts";

/** The page of a product in the cart. */
async function pageOf(
  assistant: Assistant,
  id: string,
): Promise<{ price: number; rating: number }> {
  const [page] = await assistant.act(["open", { id }]);
  return page as { price: number; rating: number };
}

const inCartFact: DrawTurn = (random, scene) => {
  const single = singleLines(scene);
  if (single.length === 0) return null;
  const { item, quantity } = pick(random, single);
  // The price of several pieces could mean that of one or of all.
  const fact = quantity > 1 ? "number" : pick(random, ["rating", "price"] as const);
  const { one, several } = categoryWords(item, random);
  const value = fact === "number" ? quantity : item[fact];
  return {
    kind: "in-cart-fact",
    slots: { line: quantity > 1 ? several : one },
    patterns: LINE_FACTS[fact],
    expected: { cart: scene.cart, form: "answer", facts: [[item.name], value] },
    conduct: async (assistant) => {
      const line = assistant.choose((await assistant.cart()).lines, item);
      const hit = { id: line.id, name: line.name };
      if (fact === "number") {
        return assistant.answered(hit, `Your cart has ${line.quantity} x ${line.name}.`);
      }
      const { price, rating } = await pageOf(assistant, line.id);
      const says = fact === "price" ? `costs ${price} EUR` : `is rated ${rating} of 5`;
      return assistant.answered({ ...hit, price }, `The ${line.name} ${says}.`);
    },
    after: askedAbout(scene, item),
  };
};

const totalWithout: DrawTurn = (random, scene) => {
  if (scene.cart.length < 2) return null;
  const drawn = drawNamedLine(random, scene);
  if (drawn === null) return null;
  const { item, quantity, one, several } = drawn;
  const rest = cartTotal(withPieces(scene.cart, item, 0), scene.goods);
  return {
    kind: "total-without",
    slots: { line: quantity > 1 ? several : one },
    expected: {
      cart: scene.cart,
      form: "answer",
      facts: [[item.name], rest],
      mentions: linesOf(scene).map((line) => line.item),
    },
    conduct: async (assistant) => {
      const { lines, total } = await assistant.cart();
      const line = assistant.choose(lines, item);
      const { price } = await pageOf(assistant, line.id);
      const pieces = assistant.pieces(line.quantity);
      const expression = `${total}-${pieces === 1 ? "" : `${pieces}*`}${price}`;
      const [sum] = await assistant.act(["calculate", { expression }]);
      // A mistake takes the product out although it was only asked.
      if (assistant.errs()) await assistant.act(["remove_from_cart", { id: line.id }]);
      return `Without the ${line.name}, your cart would cost ${String(sum)} EUR.`;
    },
    after: next(scene, { last: null }),
  };
};

export const CART_FACT_TURNS: TurnsOf<"in-cart-fact" | "total-without"> = {
  "in-cart-fact": inCartFact,
  "total-without": totalWithout,
};
