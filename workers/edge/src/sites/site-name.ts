/** Names of what belongs to a site: keys in R2, Durable Objects, and counters. */
import { DEFAULT_SITE } from "@waggle/protocol";

/** `name` in the names of a site. Those of `default` are as they were before there were other sites. */
export function nameInSite(site: string, name: string): string {
  return site === DEFAULT_SITE ? name : `sites/${site}/${name}`;
}

/** The site of a name that `nameInSite` made. */
export function siteOfName(name: string): string {
  return /^sites\/([^/]+)\//.exec(name)?.[1] ?? DEFAULT_SITE;
}
