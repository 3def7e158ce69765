/** The demo shop as a site. `npm start` and `npm run loop` run it unless `--site` names another. */
import { defineSite } from "@waggle/site";
import { CONSENT } from "./src/consent.ts";
import { SHOP_SYSTEM } from "./src/environment/index.ts";

export default defineSite({
  id: "demo",
  name: "Larch & Linen",
  prompt: SHOP_SYSTEM,
  tools: () => import("./src/page-tools.ts"),
  edgeTools: () => import("./src/edge-tools.ts"),
  environment: () => import("./src/environment/site-environment.ts"),
  retentionEnvironment: () => import("./src/environment/shop-talk-environment.ts"),
  // Eight, so that the gate takes at most a tenth longer. The nano model solves none of them, but its answers are readable.
  gate: { retentionTasks: 8 },
  model: "../../packages/model/nano",
  consent: CONSENT,
});
