/** The demo shop as a site: what `npm start` and `npm run loop` run without `--site`. */
import { environmentNamed, SHOP_ENVIRONMENT } from "@waggle/environments";
import { join } from "node:path";
import type { DefaultSite } from "../packages/cli/src/site-option.ts";
import { dashboardPage, type Page, sitePage } from "../packages/dev/src/pages/pages.ts";
import type { Site } from "../packages/dev/src/site/site.ts";
import { ROOT } from "./root.ts";

/** The committed model of the shop. */
export const NANO_MODEL: string = join(ROOT, "packages", "model", "nano");

/** The Worker with the shop's tools. */
const SHOP_WORKER = join(ROOT, "workers", "edge", "src", "worker.ts");

/** The shop. */
export const SHOP: Site = {
  name: "demo",
  project: ROOT,
  isWholeProject: true,
  environment: environmentNamed(SHOP_ENVIRONMENT),
  page: { root: join(ROOT, "apps", "demo"), isOurs: true },
  model: NANO_MODEL,
  edgeVariables: { EDGE_TOOLS: "shop" },
  workerEntry: `export { Coordinator, default, RateLimiter } from ${JSON.stringify(SHOP_WORKER)};\n`,
};

export const DEFAULT_SITE: DefaultSite = { title: "demo shop", site: SHOP };

/** The shop's page. */
export const SHOP_PAGE: Page = sitePage(SHOP);

/** The operator's dashboard. */
export const DASHBOARD: Page = dashboardPage(ROOT);
