import { expect, test } from "vitest";
import { ChangeSiteRequest, CreateSiteRequest, Site } from "./site.ts";

const settings = { groupSize: 4, settingOfALaterEdge: true };

test("an answer with the settings of a later edge is read without them, and a request is refused", () => {
  const site = { id: "desk", name: "Desk", createdAt: null, disabledAt: null };
  expect(Site.parse({ ...site, settings }).settings).toEqual({ groupSize: 4 });
  expect(Site.safeParse({ ...site, settings: { groupSize: "4" } }).success).toBe(false);
  expect(CreateSiteRequest.safeParse({ id: "desk", settings }).success).toBe(false);
  expect(ChangeSiteRequest.safeParse({ settings }).success).toBe(false);
});
