/** Several sites for one edge. */
import { ALL_SITES, DEFAULT_SITE, WaggleError } from "@waggle/protocol";
import { readSiteConfig } from "@waggle/site/node";
import { type Site, siteFrom } from "./site.ts";

/**
 * Loads sites that one edge serves, as `siteFrom` loads one. The first is the site `default` of the edge.
 *
 * @throws WaggleError as `siteFrom`; `INVALID_ARGUMENT` with file and line for an id or a site key that two sites have.
 */
export async function sitesFrom(
  sources: readonly [string, ...string[]],
  folder: string = process.cwd(),
): Promise<[Site, ...Site[]]> {
  const [source, ...others] = sources;
  const sites: [Site, ...Site[]] = [await siteFrom(source, folder)];
  for (const other of others) {
    const site = await siteFrom(other, folder);
    if (site.name === DEFAULT_SITE || site.name === ALL_SITES) {
      const message = `the id "${site.name}" is reserved at an edge; choose another id`;
      throw await mistakeIn(site, ["id"], message);
    }
    for (const before of sites) await requireDifferent(site, before);
    sites.push(site);
  }
  return sites;
}

async function requireDifferent(site: Site, before: Site): Promise<void> {
  const place = before.configFile ?? before.source ?? before.name;
  if (site.name === before.name) {
    const message = `the id "${site.name}" is also that of ${place}; give each site of an edge another id`;
    throw await mistakeIn(site, ["id"], message);
  }
  const keys = new Set(before.settings.siteKeys);
  if (site.settings.siteKeys?.some((key) => keys.has(key)) === true) {
    const message = `this site key is also in ${place}; give each site of an edge another key`;
    throw await mistakeIn(site, ["edge", "siteKey"], message);
  }
}

/** An error at the place in the site's config, if it has one. */
async function mistakeIn(
  { configFile, source, name }: Site,
  path: readonly string[],
  message: string,
): Promise<WaggleError> {
  if (configFile === undefined) {
    return new WaggleError("INVALID_ARGUMENT", `${source ?? name}: ${message}`);
  }
  const config = await readSiteConfig(configFile);
  return config.source.mistake(config.source.nodeAt(path), message);
}
