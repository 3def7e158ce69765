/** The demo shop with the default model, which practices what people ask for in their own words. */
import { defineSite } from "@waggle/site";
import { CONSENT } from "../src/consent.ts";
import { SHOP_SYSTEM } from "../src/environment/index.ts";

export default defineSite({
  id: "demo",
  name: "Larch & Linen",
  prompt: SHOP_SYSTEM,
  tools: () => import("../src/page-tools.ts"),
  edgeTools: () => import("../src/edge-tools.ts"),
  environment: () => import("../src/environment/everyday-environment.ts"),
  model: "../../../packages/model/default",
  consent: CONSENT,
});
