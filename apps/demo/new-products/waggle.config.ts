/** The shop with held-out products, to measure what its default base and the loop learn about new ones. */
import { defineSite } from "@waggle/site";
import { SHOP_SYSTEM } from "../src/environment/index.ts";

export default defineSite({
  id: "new-products",
  name: "Larch & Linen",
  prompt: SHOP_SYSTEM,
  tools: () => import("../src/page-tools.ts"),
  edgeTools: () => import("../src/edge-tools.ts"),
  environment: () => import("../src/environment/new-products-environment.ts"),
});
