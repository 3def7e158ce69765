/** Which site `npm run loop` runs for which model. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { DEFAULT_SITE } from "../../scripts/demo.ts";
import { ROOT } from "../../scripts/root.ts";

test("with the default model, visitors practice what people ask for in their own words", async () => {
  const folder = (name: string) => join(ROOT, "packages", "model", name);
  const nano = await DEFAULT_SITE.load();
  const everyday = await DEFAULT_SITE.load(folder("default"));
  expect([nano.model, everyday.model]).toEqual([folder("nano"), folder("default")]);
  expect([nano.environment?.name, everyday.environment?.name]).toEqual(["shop", "shop-everyday"]);
  // Both are the shop to its visitors.
  expect([everyday.name, everyday.page, everyday.toolNames]).toEqual([
    nano.name,
    nano.page,
    nano.toolNames,
  ]);
  expect((await DEFAULT_SITE.load(folder("nano"))).environment?.name).toBe("shop");
});
