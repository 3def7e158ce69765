/**
 * Single wishes of the shop and their expected results, drawn from a random stream. A hash of the wish
 * determines its split, so no held-out wish is ever a training wish. Wording is elsewhere; tasks with one or
 * more wishes are in `shop-errands.ts`.
 */
import { pick } from "@waggle/environments";
import { hashText, isObject, type RandomSource } from "@waggle/protocol";
import type { TaskSplit } from "@waggle/protocol";
import { CATALOGUE } from "./catalogue-data.ts";
import type { Product } from "./catalogue-data.ts";
import { searchProducts } from "./catalogue.ts";
import { convertCurrency, EXCHANGE_RATES } from "./currency.ts";
import { cartTotal, productIn } from "./shop.ts";
import type { CartLine } from "./shop.ts";

/** The cheapest or best rated product among those that match `what`. */
type Superlative = {
  readonly what: string;
  /** In euros; `null` for no limit. */
  readonly limit: number | null;
  readonly item: Product;
};

/** A wish of each kind, with everything a demonstrator needs and a policy must find out. */
export type ShopWish =
  | ({ readonly kind: "add-cheapest" } & Superlative)
  | ({ readonly kind: "add-best-rated" } & Superlative)
  | { readonly kind: "add-quantity"; readonly item: Product; readonly quantity: number }
  | { readonly kind: "add-two"; readonly item: Product; readonly other: Product }
  | { readonly kind: "remove"; readonly item: Product }
  | { readonly kind: "replace"; readonly item: Product; readonly other: Product }
  | { readonly kind: "stock"; readonly item: Product }
  | {
      readonly kind: "price-in-currency";
      readonly item: Product;
      readonly quantity: number;
      readonly currency: string;
    }
  | { readonly kind: "cart-total"; readonly currency: string };

/** Name of a kind of wish. */
export type ShopTaskKind = ShopWish["kind"];

/** All kinds of wishes, in the order that seeds draw from. */
export const SHOP_TASK_KINDS: readonly ShopTaskKind[] = [
  "add-cheapest",
  "add-best-rated",
  "add-quantity",
  "add-two",
  "remove",
  "replace",
  "stock",
  "price-in-currency",
  "cart-total",
];

/** The wishes of a task and their expected results. */
export type ShopInstance = {
  /** In the order of the request, at least one. */
  readonly wishes: readonly ShopWish[];
  /** Contents of the cart at the start. */
  readonly cart: readonly CartLine[];
  /** Contents of the cart at the end, in any order. */
  readonly expectedCart: readonly CartLine[];
  /** The number that the answer must contain; `null` if only the cart counts. */
  readonly expectedNumber: number | null;
};

/** What wishes are drawn from. */
export type ShopRange = {
  /** What the shop has. */
  readonly goods: readonly Product[];
  /** Pieces that a wish asks for, if more than one. */
  readonly quantities: readonly number[];
  /** Whether a wish can ask for the cheapest or best rated product of this description. */
  readonly isWhat: (what: string) => boolean;
  /** Whether a wish can have this price limit, in euros. */
  readonly isLimit: (limit: number) => boolean;
};

const EVERYTHING: ShopRange = {
  goods: CATALOGUE,
  quantities: [2, 3, 4, 5],
  isWhat: () => true,
  isLimit: () => true,
};

/** One in this many instances is held out. */
const HELD_OUT_SHARE = 4;

/** An instance with one wish of this kind, from this split. */
export function drawWish(kind: ShopTaskKind, split: TaskSplit, random: RandomSource): ShopInstance {
  for (;;) {
    const instance = draw(kind, random, EVERYTHING);
    if (instance === null) continue;
    const heldOut = hashText(instanceKey(instance)) % HELD_OUT_SHARE === 0;
    if (heldOut === (split === "heldOut")) return instance;
  }
}

/** An instance with one wish of this kind, from this range. */
export function drawWishFrom(
  kind: ShopTaskKind,
  range: ShopRange,
  random: RandomSource,
): ShopInstance {
  for (;;) {
    const instance = draw(kind, random, range);
    if (instance !== null) return instance;
  }
}

/** The wish as a text key. Equal keys are equal problems. */
export function instanceKey({ wishes, cart }: ShopInstance): string {
  const parts = wishes.flatMap((wish) =>
    Object.values(wish).map((part) => (isObject(part) ? part.id : String(part))),
  );
  const lines = cart.map((line) => `${line.id}x${line.quantity}`).sort();
  return [...parts, ...lines].join("|");
}

function draw(kind: ShopTaskKind, random: RandomSource, range: ShopRange): ShopInstance | null {
  const { goods, quantities } = range;
  // A search for an ambiguous name lists other products too, which would make the dialogue too long.
  const isAmbiguous = ({ name }: Product) => searchProducts({ query: name }, goods).length > 1;
  switch (kind) {
    case "add-cheapest":
    case "add-best-rated":
      return drawSuperlative(kind, random, range);
    case "add-quantity": {
      const item = pick(random, goods);
      const quantity = pick(random, quantities);
      if (quantity > item.stock) return null;
      return cartInstance({ kind, item, quantity }, [], [{ id: item.id, quantity }]);
    }
    case "add-two": {
      const [item, other] = different(random, goods, 2) as [Product, Product];
      if (isAmbiguous(item) && isAmbiguous(other)) return null;
      return cartInstance({ kind, item, other }, [], [line(item), line(other)]);
    }
    case "remove": {
      const cart = different(random, goods, 2 + Math.floor(random() * 2)).map(line);
      const kept = Math.floor(random() * cart.length);
      const item = productIn({ goods }, (cart[kept] as CartLine).id) as Product;
      return cartInstance(
        { kind, item },
        cart,
        cart.filter((entry) => entry.id !== item.id),
      );
    }
    case "replace": {
      const [first, second, other] = different(random, goods, 3) as [Product, Product, Product];
      if (isAmbiguous(other)) return null;
      const item = random() < 0.5 ? first : second;
      const kept = item === first ? second : first;
      return cartInstance(
        { kind, item, other },
        [line(first), line(second)],
        [line(kept), line(other)],
      );
    }
    case "stock": {
      const item = pick(random, goods);
      return answerInstance({ kind, item }, [], item.stock);
    }
    case "price-in-currency": {
      const item = pick(random, goods);
      const quantity = random() < 0.5 ? 1 : pick(random, quantities);
      const currency = pick(random, Object.keys(EXCHANGE_RATES));
      if (quantity === 1 && currency === "EUR") return null;
      const answer = convertCurrency(item.price * quantity, "EUR", currency);
      return answerInstance({ kind, item, quantity, currency }, [], answer);
    }
    case "cart-total": {
      const cart = different(random, goods, 1 + Math.floor(random() * 2)).map((item) => ({
        id: item.id,
        quantity: 1 + Math.floor(random() * 2),
      }));
      const currency = pick(random, Object.keys(EXCHANGE_RATES));
      const answer = convertCurrency(cartTotal(cart, goods), "EUR", currency);
      return answerInstance({ kind, currency }, cart, answer);
    }
  }
}

/**
 * A superlative that takes some care: the right product is not the first result of an unsorted search. For
 * the best rated product under a limit, the best of all products is above the limit.
 */
function drawSuperlative(
  kind: "add-cheapest" | "add-best-rated",
  random: RandomSource,
  { goods, isWhat, isLimit }: ShopRange,
): ShopInstance | null {
  const seed = pick(random, goods);
  const attribute = pick(random, seed.attributes);
  const what = random() < 0.75 ? `${attribute} ${seed.category}` : seed.category;
  if (!isWhat(what)) return null;
  const matching = searchProducts({ query: what }, goods);
  const limited = random() < 0.5;
  const sort = kind === "add-cheapest" ? "price" : "rating";
  const step = seed.price < 40 ? 5 : 10;
  const limit = limited ? Math.ceil((seed.price + 1) / step) * step : null;
  if (limit !== null && !isLimit(limit)) return null;
  const fitting = searchProducts({ query: what, maxPrice: limit ?? undefined, sort }, goods);
  const item = fitting[0];
  if (item === undefined || fitting.length < 2 || item === matching[0]) return null;
  if (item.rating === fitting[1]?.rating || item.price === fitting[1]?.price) return null;
  const bestOfAll = searchProducts({ query: what, sort: "rating" }, goods)[0];
  if (kind === "add-best-rated" && limited && bestOfAll === item) return null;
  return cartInstance({ kind, what, limit, item }, [], [line(item)]);
}

function cartInstance(
  wish: ShopWish,
  cart: readonly CartLine[],
  expectedCart: readonly CartLine[],
): ShopInstance {
  return { wishes: [wish], cart, expectedCart, expectedNumber: null };
}

function answerInstance(
  wish: ShopWish,
  cart: readonly CartLine[],
  expectedNumber: number,
): ShopInstance {
  return { wishes: [wish], cart, expectedCart: cart, expectedNumber };
}

function line(item: Product): CartLine {
  return { id: item.id, quantity: 1 };
}

function different(random: RandomSource, goods: readonly Product[], count: number): Product[] {
  const chosen = new Set<Product>();
  while (chosen.size < count) chosen.add(pick(random, goods));
  return [...chosen];
}
