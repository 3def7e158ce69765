/**
 * The site in `apps/demo`, which `npm start` and `npm run loop` run without `--site`. With the default model, visitors
 * practice what people ask for in their own words. The nano model cannot do that, and has tasks of its own.
 */
import { join } from "node:path";
import type { DefaultSite } from "../packages/cli/src/site-option.ts";
import { type Site, siteFrom } from "../packages/dev/src/site/site.ts";
import { NANO_MODEL, SHIPPED_MODELS } from "../trainer/src/model/shipped-models.ts";
import { ROOT } from "./root.ts";

const PAGE = join(ROOT, "apps", "demo");

/** Loads the site with the nano model. Its state is in the repository's folder, and visitors practice in its page, which is built once. */
export function demoSite(): Promise<Site> {
  return siteIn(PAGE);
}

/** @param folder - of the config */
async function siteIn(folder: string): Promise<Site> {
  const { practice: _, ...site } = await siteFrom(folder);
  return { ...site, project: ROOT, page: { root: PAGE, isOurs: true } };
}

const EVERYDAY = join(PAGE, "everyday");

/** What `npm start` runs: the default model, unless `--model` names nano. */
export const START_SITE: DefaultSite = {
  title: "apps/demo",
  load: (model) => siteIn(model === NANO_MODEL ? PAGE : EVERYDAY),
};

/** What `npm run loop` runs: the nano model, which learns fast, unless `--model` names default. */
export const LOOP_SITE: DefaultSite = {
  title: "apps/demo",
  load: (model) => siteIn(model === SHIPPED_MODELS.get("default") ? EVERYDAY : PAGE),
};
