/** What `waggle.config.ts` imports. */
export { SHOP as default } from "./shop-spec.ts";
