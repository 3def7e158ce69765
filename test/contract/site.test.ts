/** Sites that `npm run loop -- --site` and `npm start -- --site` take, and what they say about others. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { siteFrom, stateFolder } from "../../packages/dev/src/site/site.ts";
import { sitesFrom } from "../../packages/dev/src/site/sites.ts";
import { ROOT } from "../../scripts/root.ts";
import { DEMO } from "../fixtures/demo.ts";
import { PLANNER_FILES, plannerSite } from "../fixtures/planner-site.ts";

const DOORS = join(ROOT, "test", "fixtures", "doors-site.ts");

test("a site is an environment by the path of its file, with the export's name", async () => {
  const { name, source, environment } = await siteFrom("./doors-site.ts#doors", join(DOORS, ".."));
  expect({ name, source }).toEqual({ name: "doors", source: `${DOORS}#doors` });
  expect(environment?.reference(1, "train", 0)).toMatchObject({ environment: "doors" });
  const again = await siteFrom(source ?? "");
  expect(again.source).toBe(source);
});

test("each site has its own state folder", () => {
  const site = { ...DEMO, name: "doors", project: "/shop", isWholeProject: false };
  expect(stateFolder(site, "local")).toBe(join("/shop", ".waggle", "local-doors"));
  expect(stateFolder(site, "local", "/models/small")).toMatch(/local-doors-small$/);
  expect(stateFolder({ ...site, isWholeProject: true }, "loop")).toMatch(/\.waggle.loop$/);
});

test.each([
  ["bandit", "INVALID_ARGUMENT", /bandit is a built-in environment; pass a file such as/],
  ["./absent.ts", "NOT_FOUND", /--site \.\/absent\.ts: there is no file .*absent\.ts/],
  ["absent-site", "NOT_FOUND", /--site absent-site: package absent-site is not installed in/],
  ["./doors-site.ts", "INVALID_ARGUMENT", /has no default export; it exports doors\. Write/],
  [
    "./fault.ts#fault",
    "INVALID_ARGUMENT",
    /--site \.\/fault\.ts#fault exports function; export the/,
  ],
])("the site %s is refused in one sentence with what to do", async (source, code, message) => {
  const refusal = expect.objectContaining({ code, message: expect.stringMatching(message) });
  await expect(siteFrom(source, join(DOORS, ".."))).rejects.toEqual(refusal);
});

describe("several sites of one edge", () => {
  const CONFIG = PLANNER_FILES["waggle.config.ts"] ?? "";
  const SITE_KEY = 'edge: { siteKey: "the-key" },\n  base:';

  /** The refusal of two sites with these configs, without their folders. */
  async function refusal(first: string, second: string): Promise<string> {
    const sites = [first, second].map((config) => plannerSite({ "waggle.config.ts": config }));
    const [one = "", other = ""] = sites.map(({ folder }) => folder);
    try {
      const error: unknown = await sitesFrom([one, other]).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: "INVALID_ARGUMENT" });
      const { message } = error as Error;
      return message.replaceAll(`${one}/`, "first/").replaceAll(`${other}/`, "second/");
    } finally {
      for (const { remove } of sites) remove();
    }
  }

  test.each([
    [
      "two sites with one id",
      CONFIG,
      CONFIG,
      'second/waggle.config.ts:5:7: the id "planner" is also that of first/waggle.config.ts; give each site of an edge another id',
    ],
    [
      "a second site with the id of the first one at the edge",
      CONFIG,
      CONFIG.replace('id: "planner"', 'id: "default"'),
      'second/waggle.config.ts:5:7: the id "default" is reserved at an edge; choose another id',
    ],
    [
      "two sites with one key",
      CONFIG.replace("base:", SITE_KEY),
      CONFIG.replace("base:", SITE_KEY).replace('id: "planner"', 'id: "library"'),
      "second/waggle.config.ts:12:20: this site key is also in first/waggle.config.ts; give each site of an edge another key",
    ],
    [
      "a mistake in one config",
      CONFIG,
      CONFIG.replace("minTasks: 32", "minTasks: 0.5"),
      "second/waggle.config.ts:14:21: gate.minTasks is 0.5; write a whole number from 1 to 100000",
    ],
  ])("%s are refused with file and line", async (_, first, second, message) => {
    expect(await refusal(first, second)).toBe(message);
  });
});
