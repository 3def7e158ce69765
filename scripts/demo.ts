/** The site in `apps/demo`: what `npm start` and `npm run loop` run without `--site`. */
import { join } from "node:path";
import type { DefaultSite } from "../packages/cli/src/site-option.ts";
import { type Site, siteFrom } from "../packages/dev/src/site/site.ts";
import { ROOT } from "./root.ts";

/** Loads the site. Its state is in the repository's folder, and visitors practice in its page, which is built once. */
export async function demoSite(): Promise<Site> {
  const root = join(ROOT, "apps", "demo");
  const { practice: _, ...site } = await siteFrom(root);
  return { ...site, project: ROOT, page: { root, isOurs: true } };
}

export const DEFAULT_SITE: DefaultSite = { title: "apps/demo", load: demoSite };
