/** Loads and checks a site's `waggle.config.ts` in Node. */
export { readSiteConfig, siteConfigIn } from "./config-file.ts";
export type { SiteConfig } from "./config-file.ts";
export { loadPractice, loadSite } from "./load-site.ts";
export type { LoadedSite, SitePractice } from "./load-site.ts";
export { modulesOf } from "./module-graph.ts";
export { checkPage } from "./page-check.ts";
export { workerEntry } from "./worker-entry.ts";
export {
  baseArguments,
  edgeVariables,
  siteSettings,
  trainerArguments,
  variablesOf,
} from "./part-settings.ts";
