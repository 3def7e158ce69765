/** The sites that are attacked, and how many seeds each case has. */
import { join } from "node:path";
import { ROOT } from "../../root.ts";
import { banditSite } from "./bandit-site.ts";
import { shopSite } from "./shop-site.ts";

const { signal } = new AbortController();

export const SITES = {
  bandit: {
    open: () => banditSite(join(ROOT, ".waggle", "poison-bandit"), signal),
    seeds: 8,
    fullSeeds: 8,
  },
  shop: {
    open: () => shopSite(join(ROOT, "packages/model/nano"), signal),
    seeds: 3,
    fullSeeds: 8,
  },
} as const;

export type SiteName = keyof typeof SITES;
export const SITE_NAMES = Object.keys(SITES) as SiteName[];
