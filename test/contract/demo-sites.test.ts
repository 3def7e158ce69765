/** Which site `npm start` and `npm run loop` run for which model. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { LOOP_SITE, START_SITE } from "../../scripts/demo.ts";
import { ROOT } from "../../scripts/root.ts";

const folder = (name: string): string => join(ROOT, "packages", "model", name);
const [NANO, DEFAULT] = [folder("nano"), folder("default")];

test.each([
  ["npm start", START_SITE, undefined, DEFAULT, "shop-everyday"],
  ["npm start", START_SITE, DEFAULT, DEFAULT, "shop-everyday"],
  ["npm start", START_SITE, NANO, NANO, "shop"],
  ["npm run loop", LOOP_SITE, undefined, NANO, "shop"],
  ["npm run loop", LOOP_SITE, NANO, NANO, "shop"],
  ["npm run loop", LOOP_SITE, DEFAULT, DEFAULT, "shop-everyday"],
])("%s", async (_, given, chosen, model, environment) => {
  const site = await given.load(chosen);
  expect([site.model, site.environment?.name]).toEqual([model, environment]);
});

test("both are the shop to its visitors", async () => {
  const [nano, everyday] = [await START_SITE.load(NANO), await START_SITE.load()];
  expect([everyday.name, everyday.page, everyday.toolNames]).toEqual([
    nano.name,
    nano.page,
    nano.toolNames,
  ]);
});
