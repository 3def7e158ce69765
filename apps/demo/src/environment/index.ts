/** The shop to practice in: its state, tools, tasks, verifier and demonstrator. */
export { CATALOGUE } from "./catalogue-data.ts";
export type { Product } from "./catalogue-data.ts";
export { findProduct } from "./catalogue.ts";
export type { SearchSort } from "./catalogue.ts";
export { cartTotal, createShop } from "./shop.ts";
export type { CartLine, Shop, ShopState } from "./shop.ts";
export {
  CHANGING_TOOLS,
  edgeToolDefinitions,
  pageToolDefinitions,
  runEdgeTool,
  runPageTool,
} from "./shop-tools.ts";
export { SHOP_SYSTEM } from "./shop-task.ts";
export { createShopEnvironment } from "./shop-environment.ts";
export { demonstrate, EXPERT } from "./shop-demonstrator.ts";
export type { ShopSkill } from "./shop-demonstrator.ts";
export { DEFAULT_DEMONSTRATIONS } from "./default-demonstrations.ts";
export { NANO_DEMONSTRATIONS } from "./nano-demonstrations.ts";
export { SHOP } from "./shop-spec.ts";
export { EVERYDAY } from "./talk/everyday.ts";
export { SHOP_TALK } from "./talk/talk-spec.ts";
