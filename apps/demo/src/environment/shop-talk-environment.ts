/** What `shop-talk/waggle.config.ts` practices, and what the demo's own site must keep. */
export { SHOP_TALK as default } from "./talk/talk-spec.ts";
