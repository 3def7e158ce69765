/** What `everyday/waggle.config.ts` practices. */
export { EVERYDAY_SHOP as default } from "./talk/talk-spec.ts";
