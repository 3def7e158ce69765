/** Questions about the cart and changes of what is in it. */
import { pick } from "@waggle/environments";
import { convertCurrency } from "../../currency.ts";
import type { Product } from "../../catalogue-data.ts";
import { cartTotal } from "../../shop.ts";
import { pieces, removed, series } from "../answers.ts";
import { addCall, type Assistant, type Hit, removeCall, searchFor } from "../assistant.ts";
import { linesOf, next, withPieces } from "../scene.ts";
import type { DrawTurn, Fact, TurnsOf } from "../talk-turn.ts";
import { countOf, drawCurrency, drawProducts, nameOf } from "../values.ts";

/** Says what is in the cart. */
export async function sayCart(assistant: Assistant): Promise<string> {
  const { lines, total } = await assistant.cart();
  if (lines.length === 0) return "Your cart is empty.";
  const items = lines.map(({ name, quantity }) => `${quantity} x ${name}`);
  return `Your cart has ${series(items)}, ${total} EUR in all.`;
}

/** Facts of a cart: names, numbers above one, and the total. */
export function cartFacts(scene: Parameters<typeof linesOf>[0]): Fact[] {
  if (scene.cart.length === 0) return [["empty", "nothing"]];
  const lines = linesOf(scene).flatMap(({ item, quantity }): Fact[] => [
    [item.name],
    ...(quantity > 1 ? [quantity] : []),
  ]);
  return [...lines, cartTotal(scene.cart, scene.goods)];
}

const cartQuestion: DrawTurn = (_, scene) => ({
  kind: "cart-question",
  slots: {},
  expected: { cart: scene.cart, form: "answer", facts: cartFacts(scene) },
  conduct: sayCart,
  after: next(scene, { last: null }),
});

/** The total of the cart, in euros. */
export const saySum = async (assistant: Assistant): Promise<string> => {
  const { lines, total } = await assistant.cart();
  return lines.length === 0 ? "Your cart is empty." : `Your cart costs ${total} EUR.`;
};

const total: DrawTurn = (_, scene) => ({
  kind: "cart-total",
  slots: {},
  expected: {
    cart: scene.cart,
    form: "answer",
    facts: scene.cart.length === 0 ? [["empty", "nothing"]] : [cartTotal(scene.cart, scene.goods)],
    mentions: linesOf(scene).map(({ item }) => item),
  },
  conduct: saySum,
  after: next(scene, { last: null }),
});

const totalInCurrency: DrawTurn = (random, scene) => {
  if (scene.cart.length === 0) return null;
  const { code, said } = drawCurrency(random);
  const amount = convertCurrency(cartTotal(scene.cart, scene.goods), "EUR", code);
  return {
    kind: "cart-total-currency",
    slots: { currency: said },
    expected: { cart: scene.cart, form: "answer", facts: [amount] },
    conduct: async (assistant) => {
      const { total: euros } = await assistant.cart();
      if (assistant.errs()) return `Your cart costs ${euros} ${code}.`;
      const [converted] = await assistant.act(["convert_currency", { amount: euros, to: code }]);
      return `Your cart costs ${String(converted)} ${code}.`;
    },
    after: next(scene, { last: null }),
  };
};

const inCart: DrawTurn = (random, scene) => {
  const lines = linesOf(scene);
  const present = lines.length > 0 && random() < 0.6;
  const { item, quantity } = present
    ? pick(random, lines)
    : { item: drawProducts(random, 1, scene)[0] as Product, quantity: 0 };
  return {
    kind: "in-cart-question",
    slots: { name: nameOf(item, random, scene.goods) },
    expected: {
      cart: scene.cart,
      form: "answer",
      facts: [[item.name], present ? quantity : ["not in", "no "]],
      never: present ? ["not in"] : [],
    },
    conduct: async (assistant) => {
      const { lines: seen } = await assistant.cart();
      const line = seen.find(({ name }) => name === item.name);
      if (line === undefined) return `The ${item.name} is not in your cart.`;
      return `Your cart has ${line.quantity} x ${line.name}.`;
    },
    after: next(scene, { last: null }),
  };
};

const remove: DrawTurn = (random, scene) => {
  const lines = linesOf(scene);
  const absent = lines.length === 0 || random() < 0.2;
  const item = absent ? (drawProducts(random, 1, scene)[0] as Product) : pick(random, lines).item;
  const cart = absent ? scene.cart : withPieces(scene.cart, item, 0);
  return {
    kind: "remove",
    slots: { name: nameOf(item, random, scene.goods) },
    expected: {
      cart,
      form: "answer",
      facts: [[item.name], ...(absent ? [["not in", "no "]] : [])],
      never: absent ? [] : ["not in"],
    },
    conduct: async (assistant) => {
      const { lines: seen } = await assistant.cart();
      const isThere = seen.some(({ name }) => name === item.name);
      if (!isThere && (seen.length === 0 || !assistant.errs()))
        return `The ${item.name} is not in your cart.`;
      const line = assistant.choose(seen, item);
      await assistant.act(removeCall(line));
      return removed([{ name: line.name, quantity: 1 }]);
    },
    after: next(scene, { cart, last: null }),
  };
};

const removeSome: DrawTurn = (random, scene) => {
  const several = linesOf(scene).filter(({ quantity }) => quantity > 1);
  if (several.length === 0) return null;
  const { item, quantity } = pick(random, several);
  const n = 1 + Math.floor(random() * (quantity - 1));
  const cart = withPieces(scene.cart, item, quantity - n);
  return {
    kind: "remove-some",
    slots: { name: nameOf(item, random, scene.goods), n: countOf(n, random) },
    expected: { cart, form: "answer", facts: [[item.name], n] },
    conduct: async (assistant) => {
      const line = assistant.choose((await assistant.cart()).lines, item);
      await assistant.act(removeCall(line, assistant.errs() ? undefined : n));
      return `I removed ${n} x ${line.name}.`;
    },
    after: next(scene, { cart, last: null }),
  };
};

/** Brings the pieces of a product to a number and says what they cost. */
export async function setPieces(
  assistant: Assistant,
  hit: Hit,
  has: number,
  wanted: number,
): Promise<string> {
  const more = assistant.errs() ? wanted : wanted - has;
  const change = more > 0 ? addCall(hit, more) : removeCall(hit, -more);
  if (wanted === 1) {
    await assistant.act(change);
    return `Your cart now has 1 x ${hit.name} (${hit.price} EUR).`;
  }
  const expression = `${wanted}*${hit.price}`;
  const [, sum] = await assistant.act(change, ["calculate", { expression }]);
  return `Your cart now has ${wanted} x ${hit.name} (${hit.price} EUR each, ${String(sum)} EUR).`;
}

const setNumber: DrawTurn = (random, scene) => {
  if (scene.cart.length === 0) return null;
  const { item, quantity } = pick(random, linesOf(scene));
  const n = 1 + Math.floor(random() * 5);
  if (n === quantity || n > item.stock) return null;
  const cart = withPieces(scene.cart, item, n);
  return {
    kind: "set-number",
    slots: { name: nameOf(item, random, scene.goods), n: countOf(n, random) },
    expected: { cart, form: "answer", facts: [[item.name], n, n * item.price] },
    conduct: async (assistant) => {
      const [view, hits] = await assistant.act(["view_cart", {}], searchFor(item));
      const { lines } = view as Awaited<ReturnType<Assistant["cart"]>>;
      const has = lines.find(({ name }) => name === item.name)?.quantity ?? 0;
      return setPieces(assistant, assistant.choose(hits as readonly Hit[], item), has, n);
    },
    after: next(scene, { cart, last: null }),
  };
};

const replace: DrawTurn = (random, scene) => {
  if (scene.cart.length === 0) return null;
  const { item, quantity } = pick(random, linesOf(scene));
  const [other] = drawProducts(random, 1, scene) as [Product];
  if (quantity > 1) return null;
  const cart = withPieces(withPieces(scene.cart, item, 0), other, 1);
  return {
    kind: "replace",
    slots: { name: nameOf(item, random, scene.goods), other: nameOf(other, random, scene.goods) },
    expected: { cart, form: "answer", facts: [[item.name], [other.name], other.price] },
    conduct: async (assistant) => {
      const [view, hits] = await assistant.act(["view_cart", {}], searchFor(other));
      const { lines } = view as Awaited<ReturnType<Assistant["cart"]>>;
      const line = assistant.choose(lines, item);
      const hit = assistant.choose(hits as readonly Hit[], other);
      await assistant.act(...(assistant.errs() ? [] : [removeCall(line)]), addCall(hit, 1));
      return `I replaced the ${line.name} with the ${hit.name} (${hit.price} EUR).`;
    },
    after: next(scene, { cart, last: null }),
  };
};

/** Removes every line but those of one product. */
export async function clear(assistant: Assistant, kept?: Product): Promise<string> {
  const { lines } = await assistant.cart();
  if (lines.length === 0) return "Your cart is empty.";
  const gone = lines.filter(({ name }) => name !== kept?.name || assistant.errs());
  await assistant.act(...gone.map((line) => removeCall(line)));
  const names = gone.map(({ name }) => pieces({ name }));
  const rest = kept === undefined ? "Your cart is empty." : `The ${kept.name} stays.`;
  return `I removed ${series(names)}. ${rest}`;
}

const emptyCart: DrawTurn = (_, scene) => ({
  kind: "empty-cart",
  slots: {},
  expected: {
    cart: [],
    form: "answer",
    facts: [["empty", "nothing"]],
    mentions: linesOf(scene).map(({ item }) => item),
  },
  conduct: (assistant) => clear(assistant),
  after: next(scene, { cart: [], last: null }),
});

const allExcept: DrawTurn = (random, scene) => {
  if (scene.cart.length < 2) return null;
  const { item, quantity } = pick(random, linesOf(scene));
  const cart = [{ id: item.id, quantity }];
  return {
    kind: "all-except",
    slots: { name: nameOf(item, random, scene.goods) },
    expected: { cart, form: "answer", facts: linesOf(scene).map((line) => [line.item.name]) },
    conduct: (assistant) => clear(assistant, item),
    after: next(scene, { cart, last: null }),
  };
};

export const CART_TURNS: TurnsOf<
  | "cart-question"
  | "cart-total"
  | "cart-total-currency"
  | "in-cart-question"
  | "remove"
  | "remove-some"
  | "set-number"
  | "replace"
  | "empty-cart"
  | "all-except"
> = {
  "cart-question": cartQuestion,
  "cart-total": total,
  "cart-total-currency": totalInCurrency,
  "in-cart-question": inCart,
  remove,
  "remove-some": removeSome,
  "set-number": setNumber,
  replace,
  "empty-cart": emptyCart,
  "all-except": allExcept,
};
