/** The site in `apps/demo`: what `npm start` and `npm run loop` run without `--site`. */
import { join } from "node:path";
import type { DefaultSite } from "../packages/cli/src/site-option.ts";
import { type Site, siteFrom } from "../packages/dev/src/site/site.ts";
import { SHIPPED_MODELS } from "../trainer/src/model/shipped-models.ts";
import { ROOT } from "./root.ts";

const PAGE = join(ROOT, "apps", "demo");

/** Loads the site. Its state is in the repository's folder, and visitors practice in its page, which is built once. */
export function demoSite(): Promise<Site> {
  return siteIn(PAGE);
}

/** @param folder - of the config */
async function siteIn(folder: string): Promise<Site> {
  const { practice: _, ...site } = await siteFrom(folder);
  return { ...site, project: ROOT, page: { root: PAGE, isOurs: true } };
}

/** With the default model, visitors practice what people ask for in their own words. The nano model cannot do that. */
export const DEFAULT_SITE: DefaultSite = {
  title: "apps/demo",
  load: (model) => siteIn(model === SHIPPED_MODELS.get("default") ? join(PAGE, "everyday") : PAGE),
};
