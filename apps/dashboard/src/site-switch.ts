/** Chooses the site that the dashboard shows. Only the installation's credential sees more than one. */
import { h } from "@waggle/embed/dom";
import { DEFAULT_SITE, type Site } from "@waggle/protocol";
import type { OperatorApi } from "./operator-api.ts";

const KEY = "waggle-site";

type SiteStore = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** The site that this tab shows; `null`: the credential's own. */
export function readSite(store: SiteStore): string | null {
  return store.getItem(KEY);
}

/** Stores the choice for this tab. The site `default` needs none. */
export function keepSite(store: SiteStore, site: string | null): void {
  if (site === null || site === DEFAULT_SITE) store.removeItem(KEY);
  else store.setItem(KEY, site);
}

/** Options of `createSiteSwitch`. */
export type SiteSwitchOptions = {
  readonly api: Pick<OperatorApi, "sites">;
  /** The site that is shown; `null`: the credential's own. */
  readonly site: string | null;
  readonly onSite: (site: string) => void;
};

/** A list of the sites. It stays hidden while there is nothing to choose. */
export function createSiteSwitch({ api, site, onSite }: SiteSwitchOptions): HTMLElement {
  const shown = site ?? DEFAULT_SITE;
  const list = h("select", {
    name: "site",
    "aria-label": "Site",
    change: () => onSite(list.value),
  });
  list.hidden = true;
  const show = (sites: readonly Pick<Site, "id" | "name" | "disabledAt">[]): void => {
    // A site that is shown and does not exist is listed, so that another can be chosen.
    const ids = new Set([...sites.map(({ id }) => id), shown]);
    const named = new Map(sites.map((one) => [one.id, one]));
    list.replaceChildren(
      ...[...ids].map((id) => {
        const { name = id, disabledAt = null } = named.get(id) ?? {};
        const label = `${name}${disabledAt === null ? "" : " (disabled)"}`;
        return h("option", { value: id }, label);
      }),
    );
    list.value = shown;
    list.hidden = ids.size < 2;
  };
  // A site's own credential may not list sites.
  void Promise.resolve()
    .then(() => api.sites())
    .then(
      ({ sites }) => show(sites),
      () => undefined,
    );
  return list;
}
