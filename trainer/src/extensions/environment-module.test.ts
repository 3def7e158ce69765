/** Environments by name, and from files and packages of a folder that is not this repository. */
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { environmentNamed } from "@waggle/environments";
import { afterAll, beforeAll, expect, test } from "vitest";
import { environmentFrom } from "./environment-module.ts";

let folder: string;

const defined = (name: string): string => `
import { defineEnvironment } from "@waggle/agent/define";
export const site = defineEnvironment({
  name: ${JSON.stringify(name)},
  prompt: "p",
  tasks: ({ random }) => ({ request: String(random()), state: {}, data: null }),
  tools: {},
  verify: () => true,
});
export default site;
`;
const FILES: { readonly [path: string]: string } = {
  "site.ts": defined("site"),
  "sites/site.ts": defined("site"),
  "same-site.ts": `${defined("site")}// changed\n`,
  "whole/waggle.config.ts": `export default {
  id: "whole", name: "Whole", prompt: "p",
  environment: () => import(${JSON.stringify("./site.ts")}),
  reward: () => import(${JSON.stringify("./reward.ts")}),
};\n`,
  "whole/site.ts": defined("site"),
  "whole/reward.ts": "export default () => 0.5;\n",
  "bare/waggle.config.ts": `export default { id: "bare", name: "Bare", prompt: "p" };\n`,
  "strings.ts": defined("strings"),
  "wrong.ts": defined("Wrong Name"),
  "plain.ts": "export default { name: 'plain', tools: {} };\nexport const five = 5;\n",
  "node_modules/some-site/package.json": JSON.stringify({
    name: "some-site",
    type: "module",
    exports: "./main.js",
  }),
  "node_modules/some-site/main.js": defined("packed"),
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "waggle-environments-"));
  for (const [path, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const installed = join(import.meta.dirname, "../../../node_modules/@waggle");
  await symlink(installed, join(folder, "node_modules/@waggle"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("an environment is built in, in a file, or in an installed package", async () => {
  expect(await environmentFrom("form", folder)).toBe(environmentNamed("form"));
  expect((await environmentFrom("./site.ts", folder)).name).toBe("site");
  expect((await environmentFrom("site.ts#site", folder)).name).toBe("site");
  expect((await environmentFrom("some-site", folder)).name).toBe("packed");
});

test("a folder with a waggle.config.ts is the environment of its site", async () => {
  const environment = await environmentFrom("./whole", folder);
  expect(environment.name).toBe("site");
  const { judge } = environment.create(environment.reference(0, "train", 0));
  expect(await judge("done")).toMatchObject({ reward: 0.5, success: false });
  await writeFile(join(folder, "whole/reward.ts"), "export default () => 0.25;\n");
  expect((await environmentFrom("./whole/", folder)).source).not.toBe(environment.source);
  await expect(environmentFrom("./bare", folder)).rejects.toThrow(
    /bare\/waggle\.config\.ts:1:16: the site has no environment to practice in; write environment: /,
  );
});

test("the source of a user's environment changes with its file", async () => {
  expect((await environmentFrom("form", folder)).source).toBeUndefined();
  const { source: first } = await environmentFrom("./site.ts", folder);
  const { source: second } = await environmentFrom("./same-site.ts", folder);
  expect(first).toMatch(/^\.\/site\.ts [0-9a-f]{16}$/);
  expect(first?.split(" ")[1]).not.toBe(second?.split(" ")[1]);
});

test.each([
  ["sites/site.ts", "NOT_FOUND", /To load the file .*sites\/site\.ts, write \.\/sites\/site\.ts/],
  ["./absent.ts", "NOT_FOUND", /--env \.\/absent\.ts: there is no file .*absent\.ts/],
  [
    "strngs",
    "NOT_FOUND",
    /unknown environment "strngs": it is neither built in \(strings, bandit.*nor a package installed in .*Pass a file such as \.\/my-environment\.ts/,
  ],
  ["some-site/main.js", "NOT_FOUND", /nor a package installed in .*Pass a file such as/],
  [
    "./plain.ts",
    "INVALID_ARGUMENT",
    /exports an object that is no environment; export the result of/,
  ],
  ["./plain.ts#five", "INVALID_ARGUMENT", /--env \.\/plain\.ts#five exports number; export the/],
  ["./site.ts#other", "INVALID_ARGUMENT", /has no export other; it exports site\. Write/],
  [
    "./strings.ts",
    "INVALID_ARGUMENT",
    /has the name of the built-in environment strings; give it another/,
  ],
  [
    "./wrong.ts",
    "INVALID_ARGUMENT",
    /wrong\.ts cannot be loaded: name is "Wrong Name"; write lower/,
  ],
])("environment %s is refused with what to do", async (source, code, message) => {
  await expect(environmentFrom(source, folder)).rejects.toMatchObject({
    code,
    message: expect.stringMatching(message),
  });
});
