/**
 * Tasks of the shop by level: a visitor wants one thing, two or three. Several wishes share one cart, have
 * no product in common, and at most one of them asks something: the last. Each is of the task's split, so
 * what is held out at one level is held out at all.
 *
 * A level is a name in the task reference and no part of its seed: every seed of the first level already
 * means a task.
 */
import { type TaskReference, WaggleError } from "@waggle/protocol";
import { convertCurrency } from "./currency.ts";
import { createRandom, hashText, pick } from "./random.ts";
import type { RandomSource } from "./random.ts";
import { drawWish, SHOP_TASK_KINDS } from "./shop-instance.ts";
import type { ShopTaskKind, ShopInstance, ShopWish } from "./shop-instance.ts";
import { cartTotal } from "./shop.ts";

/** Name of this environment in a task reference, at its first level: what pages are assigned. */
export const SHOP_ENVIRONMENT = "shop";

/** Names by level; the task of a level has one wish more than its place here. */
export const SHOP_LEVELS: readonly string[] = [SHOP_ENVIRONMENT, "shop-2", "shop-3"];

const QUESTIONS: ReadonlySet<ShopTaskKind> = new Set(["stock", "price-in-currency", "cart-total"]);

/** Level of a reference. @throws WaggleError `INVALID_ARGUMENT` for one of another environment. */
export function shopLevel({ environment }: TaskReference): number {
  const level = SHOP_LEVELS.findIndex((name) => name === environment);
  if (level >= 0) return level;
  throw new WaggleError(
    "INVALID_ARGUMENT",
    `environment must be ${SHOP_LEVELS.map((name) => `"${name}"`).join(", ")}, got "${environment.slice(0, 64)}"; ask the environment that made the task`,
  );
}

/**
 * The instance of a reference. Deterministic.
 * @throws WaggleError `INVALID_ARGUMENT` for a reference of another environment.
 */
export function shopInstance(reference: TaskReference): ShopInstance {
  const level = shopLevel(reference);
  const { split, seed } = reference;
  const random = createRandom(hashText(`${level === 0 ? "" : `${level}/`}${split}/${seed}`));
  if (level === 0) return drawWish(pick(random, SHOP_TASK_KINDS), split, random);
  for (;;) {
    const specs = drawKinds(level + 1, random);
    const instance = together(specs.map((kind) => drawWish(kind, split, random)));
    if (instance !== null) return instance;
  }
}

/** Different environments, a question last. */
function drawKinds(count: number, random: RandomSource): readonly ShopTaskKind[] {
  for (;;) {
    const specs = Array.from({ length: count }, () => pick(random, SHOP_TASK_KINDS));
    const questions = specs.filter((kind) => QUESTIONS.has(kind));
    const isFit = new Set(specs).size === count && questions.length <= 1;
    if (isFit) return [...specs.filter((kind) => !QUESTIONS.has(kind)), ...questions];
  }
}

/** One task of several; `null` where they do not go together. */
function together(parts: readonly ShopInstance[]): ShopInstance | null {
  const ids = parts.flatMap((part) => [...new Set(idsOf(part))]);
  if (new Set(ids).size < ids.length) return null;
  const wishes = parts.flatMap((part) => part.wishes);
  // A price of several pieces takes a turn more than the longest rollout has left.
  if (wishes.some((wish) => wish.kind === "price-in-currency" && wish.quantity > 1)) return null;
  const cart = parts.flatMap((part) => part.cart);
  const expectedCart = parts.flatMap((part) => part.expectedCart);
  const last = wishes.at(-1);
  const expectedNumber =
    last?.kind === "cart-total"
      ? convertCurrency(cartTotal(expectedCart), "EUR", last.currency)
      : (parts.at(-1)?.expectedNumber ?? null);
  // Saying a number of the request again must not be the answer.
  if (expectedNumber !== null && wishes.flatMap(numbersOf).includes(expectedNumber)) return null;
  return { wishes, cart, expectedCart, expectedNumber };
}

/** Products that a wish is about or that lie in its cart. */
function idsOf({ wishes, cart }: ShopInstance): readonly string[] {
  const named = wishes.flatMap((wish) =>
    Object.values(wish).flatMap((part) =>
      typeof part === "object" && part !== null ? [part.id] : [],
    ),
  );
  return [...named, ...cart.map(({ id }) => id)];
}

function numbersOf(wish: ShopWish): readonly number[] {
  if (wish.kind === "add-quantity") return [wish.quantity];
  return "limit" in wish && wish.limit !== null ? [wish.limit] : [];
}
