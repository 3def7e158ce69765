/**
 * The shop in which held-out requests have slot values that training lacks. Each training task has a shop of invented
 * goods; held-out tasks have the catalogue. Descriptions, price limits and numbers of pieces differ too. Currencies are
 * left out, because a tool's description lists all of them. It measures how a base made for it generalizes; the shop's
 * own model has seen the catalogue.
 */
import { pick } from "@waggle/environments";
import { hashText, mulberry32, type TaskReference } from "@waggle/protocol";
import { CATALOGUE } from "./catalogue-data.ts";
import type { Product } from "./catalogue-data.ts";
import { inventedCatalogue } from "./invented-catalogue.ts";
import {
  drawWishFrom,
  SHOP_TASK_KINDS,
  type ShopInstance,
  type ShopRange,
  type ShopTaskKind,
} from "./shop-instance.ts";

/** Name in task references. */
export const NEW_PRODUCTS = "new-products";

const CURRENCY_KINDS: ReadonlySet<ShopTaskKind> = new Set(["price-in-currency", "cart-total"]);
const KINDS = SHOP_TASK_KINDS.filter((kind) => !CURRENCY_KINDS.has(kind));

/** Share of the descriptions and limits that are held out. */
const HELD_OUT_SHARE = 1 / 4;

function isHeldOut(value: string): boolean {
  return mulberry32(hashText(`${NEW_PRODUCTS}/${value}`))() < HELD_OUT_SHARE;
}

/** A description with an attribute, such as "wool hat". Categories alone occur in the names of products. */
const isHeldOutWhat = (what: string): boolean => what.includes(" ") && isHeldOut(what);

/** The goods and values that the task is drawn from. */
function rangeOf({ split, seed }: TaskReference): ShopRange {
  if (split === "heldOut") {
    return {
      goods: CATALOGUE,
      quantities: [6, 7, 8, 9],
      isWhat: isHeldOutWhat,
      isLimit: (limit) => isHeldOut(`${limit}`),
    };
  }
  return {
    goods: inventedCatalogue(mulberry32(hashText(`${NEW_PRODUCTS}/goods/${seed}`))),
    quantities: [2, 3, 4, 5],
    isWhat: (what) => !isHeldOutWhat(what),
    isLimit: (limit) => !isHeldOut(`${limit}`),
  };
}

/** What the shop of a task has. */
export function goodsOf(reference: TaskReference): readonly Product[] {
  return reference.environment === NEW_PRODUCTS ? rangeOf(reference).goods : CATALOGUE;
}

/** The instance of a reference to this environment. Deterministic. */
export function newProductsInstance(reference: TaskReference): ShopInstance {
  const { split, seed } = reference;
  const random = mulberry32(hashText(`${NEW_PRODUCTS}/${split}/${seed}`));
  return drawWishFrom(pick(random, KINDS), rangeOf(reference), random);
}
