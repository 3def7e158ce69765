/**
 * The site in `apps/demo`, which `npm start` and `npm run loop` run without `--site`. With the default model, visitors
 * practice everyday requests. With the nano model, they practice the built-in tasks.
 */
import { join } from "node:path";
import type { DefaultSite } from "../packages/cli/src/site-option.ts";
import { type Site, siteFrom } from "../packages/dev/src/site/site.ts";
import { DEFAULT_MODEL, NANO_MODEL } from "../trainer/src/model/shipped-models.ts";
import { ROOT } from "./root.ts";

const PAGE = join(ROOT, "apps", "demo");

/** Loads the site with the nano model. */
export function demoSite(): Promise<Site> {
  return siteIn(PAGE);
}

/** A site with the demo's page, in which visitors practice. Its state is in the repository's folder. */
async function siteIn(folder: string): Promise<Site> {
  const site = await siteFrom(folder);
  return { ...site, project: ROOT, page: { root: PAGE, isOurs: true, hasPractice: true } };
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
  load: (model) => siteIn(model === DEFAULT_MODEL ? EVERYDAY : PAGE),
};
