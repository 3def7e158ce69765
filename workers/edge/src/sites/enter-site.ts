/** Gives a request the settings and the rows of its site, which every later part of the request reads. */
import type { EdgeContext } from "../endpoint.ts";
import type { ServedSite } from "./site-directory.ts";
import { siteDatabase } from "./site-database.ts";

/** The request belongs to this site from now on. */
export function enterSite(context: EdgeContext, site: ServedSite): void {
  context.set("site", site);
  context.set("settings", site.settings);
  context.set("db", siteDatabase(context.env.DB, site.id));
}
