/**
 * Shop tasks by level: a visitor has one, two or three wishes. Several wishes share one cart, have no product
 * in common, and contain at most one question, which comes last. Every wish belongs to the task's split, so a
 * wish that is held out at one level is held out at all levels.
 *
 * The level is part of the environment's name and not of the seed, because every seed already means a task
 * of the first level.
 */
import { pick } from "@waggle/environments";
import {
  hashText,
  isObject,
  mulberry32,
  type RandomSource,
  type TaskReference,
  WaggleError,
} from "@waggle/protocol";
import { convertCurrency } from "./currency.ts";
import { NEW_PRODUCTS, newProductsInstance } from "./new-products.ts";
import { drawWish, SHOP_TASK_KINDS } from "./shop-instance.ts";
import type { ShopTaskKind, ShopInstance, ShopWish } from "./shop-instance.ts";
import { cartTotal } from "./shop.ts";

/** Name of the first level in task references. Pages are assigned tasks of this level. */
export const SHOP_ENVIRONMENT = "shop";

/** Environment names by level. A task of level n has n + 1 wishes. */
export const SHOP_LEVELS: readonly string[] = [SHOP_ENVIRONMENT, "shop-2", "shop-3"];

const QUESTIONS: ReadonlySet<ShopTaskKind> = new Set(["stock", "price-in-currency", "cart-total"]);

/** The level of a reference. @throws WaggleError `INVALID_ARGUMENT` for one of another environment. */
export function shopLevel({ environment }: TaskReference): number {
  if (environment === NEW_PRODUCTS) return 0;
  const level = SHOP_LEVELS.findIndex((name) => name === environment);
  if (level >= 0) return level;
  throw new WaggleError(
    "INVALID_ARGUMENT",
    `the task belongs to environment "${environment.slice(0, 64)}", not to a shop (${[...SHOP_LEVELS, NEW_PRODUCTS].join(", ")})`,
  );
}

/**
 * The instance of a reference. Deterministic.
 * @throws WaggleError `INVALID_ARGUMENT` for a reference of another environment.
 */
export function shopInstance(reference: TaskReference): ShopInstance {
  const level = shopLevel(reference);
  const { environment, split, seed } = reference;
  if (environment === NEW_PRODUCTS) return newProductsInstance(reference);
  const random = mulberry32(hashText(`${level === 0 ? "" : `${level}/`}${split}/${seed}`));
  if (level === 0) return drawWish(pick(random, SHOP_TASK_KINDS), split, random);
  for (;;) {
    const kinds = drawKinds(level + 1, random);
    const instance = together(kinds.map((kind) => drawWish(kind, split, random)));
    if (instance !== null) return instance;
  }
}

/** Different kinds of wishes, with a question last. */
function drawKinds(count: number, random: RandomSource): readonly ShopTaskKind[] {
  for (;;) {
    const kinds = Array.from({ length: count }, () => pick(random, SHOP_TASK_KINDS));
    const questions = kinds.filter((kind) => QUESTIONS.has(kind));
    const isFit = new Set(kinds).size === count && questions.length <= 1;
    if (isFit) return [...kinds.filter((kind) => !QUESTIONS.has(kind)), ...questions];
  }
}

/** Combines several wishes into one task; `null` if they cannot be combined. */
function together(parts: readonly ShopInstance[]): ShopInstance | null {
  const ids = parts.flatMap((part) => [...new Set(idsOf(part))]);
  if (new Set(ids).size < ids.length) return null;
  const wishes = parts.flatMap((part) => part.wishes);
  // The price of several pieces would need one turn more than the longest rollout has.
  if (wishes.some((wish) => wish.kind === "price-in-currency" && wish.quantity > 1)) return null;
  const cart = parts.flatMap((part) => part.cart);
  const expectedCart = parts.flatMap((part) => part.expectedCart);
  const last = wishes.at(-1);
  const expectedNumber =
    last?.kind === "cart-total"
      ? convertCurrency(cartTotal(expectedCart), "EUR", last.currency)
      : (parts.at(-1)?.expectedNumber ?? null);
  // Repeating a number from the request must not give the answer.
  if (expectedNumber !== null && wishes.flatMap(numbersOf).includes(expectedNumber)) return null;
  return { wishes, cart, expectedCart, expectedNumber };
}

/** Ids of the products that a wish mentions or that are in its cart. */
function idsOf({ wishes, cart }: ShopInstance): readonly string[] {
  const named = wishes.flatMap((wish) =>
    Object.values(wish).flatMap((part) => (isObject(part) ? [part.id] : [])),
  );
  return [...named, ...cart.map(({ id }) => id)];
}

function numbersOf(wish: ShopWish): readonly number[] {
  if (wish.kind === "add-quantity") return [wish.quantity];
  return "limit" in wish && wish.limit !== null ? [wish.limit] : [];
}
