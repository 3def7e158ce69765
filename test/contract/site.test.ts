/** Sites that `npm run loop -- --site` and `npm start -- --site` take, and what they say about others. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { siteFrom, stateFolder } from "../../packages/dev/src/site/site.ts";
import { ROOT } from "../../scripts/root.ts";
import { DEMO } from "../fixtures/demo.ts";

const DOORS = join(ROOT, "test", "fixtures", "doors-site.ts");

test("a site is an environment by the path of its file, with the export's name", async () => {
  const { name, source, environment } = await siteFrom("./doors-site.ts#doors", join(DOORS, ".."));
  expect({ name, source }).toEqual({ name: "doors", source: `${DOORS}#doors` });
  expect(environment.reference(1, "train", 0)).toMatchObject({ environment: "doors" });
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
