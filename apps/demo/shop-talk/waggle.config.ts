/** The shop with what people ask for in their own words: questions, wishes, corrections and small talk. */
import { defineSite } from "@waggle/site";
import { SHOP_SYSTEM } from "../src/environment/index.ts";

export default defineSite({
  id: "shop-talk",
  name: "Larch & Linen",
  prompt: SHOP_SYSTEM,
  tools: () => import("../src/page-tools.ts"),
  edgeTools: () => import("../src/edge-tools.ts"),
  environment: () => import("../src/environment/shop-talk-environment.ts"),
});
