/** What `new-products/waggle.config.ts` imports. */
export { NEW_PRODUCTS_SHOP as default } from "./shop-spec.ts";
