/** Loads and checks a site's `waggle.config.ts` in Node. */
export { siteConfigIn } from "./config-file.ts";
export { loadSite } from "./load-site.ts";
export type { LoadedSite } from "./load-site.ts";
export { baseArguments, edgeVariables, trainerArguments } from "./part-settings.ts";
