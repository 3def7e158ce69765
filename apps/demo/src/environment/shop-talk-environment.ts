/** What `shop-talk/waggle.config.ts` imports. */
export { SHOP_TALK as default } from "./talk/talk-spec.ts";
