import { DEFAULT_SITE, type SitesResponse } from "@waggle/protocol";
import { expect, test, vi } from "vitest";
import { createSiteSwitch, keepSite, readSite } from "./site-switch.ts";

const site = (id: string, disabledAt: string | null = null) => ({
  id,
  name: `The ${id}`,
  createdAt: null,
  disabledAt,
  settings: {},
});

/** The switch on an edge with these sites; `null`: the edge refuses to list them. */
async function open(sites: SitesResponse["sites"] | null, shown: string | null) {
  const chosen: string[] = [];
  const list = createSiteSwitch({
    api: {
      sites: () =>
        sites === null ? Promise.reject(new Error("refused")) : Promise.resolve({ sites }),
    },
    site: shown,
    onSite: (id) => void chosen.push(id),
  }) as HTMLSelectElement;
  document.body.replaceChildren(list);
  await new Promise((resolve) => setTimeout(resolve));
  return { list, chosen };
}

test("the installation's operator chooses between all sites", async () => {
  const at = "2026-11-26T00:00:00.000Z";
  const { list, chosen } = await open([site("default"), site("desk", at)], "desk");
  await vi.waitFor(() => expect(list.hidden).toBe(false));
  expect([...list.options].map(({ text }) => text)).toEqual(["The default", "The desk (disabled)"]);
  expect(list.value).toBe("desk");
  list.value = "default";
  list.dispatchEvent(new Event("change"));
  expect(chosen).toEqual(["default"]);
});

test("nothing is shown with one site, or with a site's own credential", async () => {
  expect((await open([site("default")], null)).list.hidden).toBe(true);
  expect((await open(null, null)).list.hidden).toBe(true);
});

test("a site that no longer exists can be left", async () => {
  const { list } = await open([site("default")], "gone");
  expect([list.hidden, list.value]).toEqual([false, "gone"]);
});

test("the choice lasts for this tab", () => {
  keepSite(sessionStorage, "desk");
  expect(readSite(sessionStorage)).toBe("desk");
  keepSite(sessionStorage, DEFAULT_SITE);
  expect(readSite(sessionStorage)).toBeNull();
});
