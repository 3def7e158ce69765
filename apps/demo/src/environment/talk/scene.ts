/** Where a talk stands, and what a turn makes of it. */
import type { Product } from "../catalogue-data.ts";
import type { CartLine } from "../shop.ts";
import { productIn } from "../shop.ts";
import type { Expectation, Scene } from "./talk-turn.ts";

/** A product of a cart with its quantity. */
export type Line = { readonly item: Product; readonly quantity: number };

/** The products of a cart, with their quantities. */
export function linesOf({ cart, goods }: Pick<Scene, "cart" | "goods">): Line[] {
  return cart.flatMap(({ id, quantity }) => {
    const item = productIn({ goods }, id);
    return item === undefined ? [] : [{ item, quantity }];
  });
}

/** The lines that are alone in their category, so that the category names them. */
export function singleLines(scene: Pick<Scene, "cart" | "goods">): Line[] {
  const lines = linesOf(scene);
  const ofCategory = (category: string) => lines.filter(({ item }) => item.category === category);
  return lines.filter(({ item }) => ofCategory(item.category).length === 1);
}

/** The cart with this many pieces of the product. */
export function withPieces(
  cart: readonly CartLine[],
  { id }: Product,
  quantity: number,
): readonly CartLine[] {
  const present = cart.some((line) => line.id === id);
  const lines = present ? cart : [...cart, { id, quantity }];
  return lines
    .map((line) => (line.id === id ? { id, quantity } : line))
    .filter((line) => line.quantity > 0);
}

/** The scene after a turn that changes no more than this. */
export function next(scene: Scene, change: Partial<Scene>): Scene {
  return { ...scene, listed: [], ...change, turns: scene.turns + 1 };
}

/** The scene after a turn that asked about a product. */
export function askedAbout(scene: Scene, item: Product, what: string = item.category): Scene {
  return next(scene, { last: { item, added: 0, what } });
}

/** The scene after a turn that put pieces of one product into the cart. */
export function addedOf(
  scene: Scene,
  item: Product,
  added: number,
  what: string = item.category,
): Scene {
  return next(scene, {
    cart: withPieces(scene.cart, item, added),
    last: { item, added, what },
  });
}

/** An answer after `addedOf`, with the product's name and price. @param mentions - other products that it may name */
export function addedAnswer(after: Scene, item: Product, ...mentions: Product[]): Expectation {
  return { cart: after.cart, form: "answer", facts: [[item.name], item.price], mentions };
}
