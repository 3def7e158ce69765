/** How a site's config names the model that its base goes on from. */
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { PLANNER_FILES, plannerSite } from "../../../../test/fixtures/planner-site.ts";
import { type Site, siteFrom } from "./site.ts";

async function siteWith(base: string): Promise<Site> {
  const config = (PLANNER_FILES["waggle.config.ts"] ?? "").replace(
    /^ {2}base: .*$/m,
    `  base: ${base},`,
  );
  const { folder, remove } = plannerSite({ "waggle.config.ts": config });
  onTestFinished(remove);
  return siteFrom(folder);
}

test("`default` is the model that comes with Waggle", async () => {
  const { base } = await siteWith('{ from: "default", steps: 90 }');
  expect(base?.steps).toBe(90);
  expect(base?.from).toMatch(/model[\\/]default$/);
});

test("a folder is relative to the config", async () => {
  const { base, project } = await siteWith('{ from: "./mine" }');
  expect(base).toEqual({ from: join(project, "mine") });
});

test("a name that is no model and no folder is refused with the names that there are", async () => {
  await expect(siteWith('{ from: "defualt" }')).rejects.toThrow(
    'base.from is "defualt", and there is no model and no folder of this name; write "default" or "nano"',
  );
});

test("another kind of value is refused with what to write", async () => {
  await expect(siteWith("{ from: 3 }")).rejects.toThrow(
    /write "default", or the folder of a model/,
  );
});
