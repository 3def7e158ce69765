/** What people ask of a shop that this assistant cannot do, by subject. */
import { patternsOf, type Subject } from "../subject.ts";
import type { Wordings } from "../wordings.ts";
import { GOODS_SERVICES } from "./of-goods.ts";
import { ORDER_SERVICES } from "./of-orders.ts";

export const SHOP_SERVICES: readonly Subject[] = [...GOODS_SERVICES, ...ORDER_SERVICES];

/** Their patterns as a kind of request. */
export const SHOP_SERVICE_WORDINGS: Wordings<"shop-service"> = {
  "shop-service": patternsOf(SHOP_SERVICES),
};
