/** Code and data of users, from files and from installed packages of a folder that is not this repository. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { recipeNamed } from "@waggle/learning";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadExport, moduleSource } from "./module-source.ts";
import { promptDatasetFrom } from "./prompt-dataset.ts";
import { recipeFrom } from "./recipe-module.ts";
import { rewardFrom } from "./reward-module.ts";

let folder: string;

const FILES: { readonly [path: string]: string } = {
  "reward.ts":
    "export const half = (): number => 0.5;\nexport default (): number => 1;\nexport const two = 2;\n",
  "broken.ts": "import 'nothing-of-that-name';\n",
  "syntax.ts": "export default (;\n",
  "recipe.js":
    "const create = () => ({});\nexport default Object.assign(create, { recipeName: 'mine' });\n",
  "prompts.jsonl": '{"prompt":"a","answer":"1"}\n\n{"question":"b"}\n',
  "prompts.json": '[{"prompt":"a"},{"prompt":"b"},{"prompt":"c"}]',
  "object.json": '{"prompt":"a"}',
  "damaged.jsonl": '{"prompt":"a"}\n{"prompt":\n',
  "lacking.jsonl": '{"prompt":"a"}\n{"text":"b"}\n',
  "rows.mjs":
    "export default async function* () { yield { prompt: 'x' }; yield { prompt: 'y' }; }\nexport const few = [{ prompt: 'z' }];\n",
  "node_modules/some-package/package.json": JSON.stringify({
    name: "some-package",
    type: "module",
    exports: { ".": { import: "./main.js" }, "./prompts.jsonl": "./prompts.jsonl" },
  }),
  "node_modules/some-package/main.js":
    "const create = () => ({});\nexport const theirs = Object.assign(create, { recipeName: 'theirs' });\nexport default () => 1;\n",
  "node_modules/some-package/prompts.jsonl": '{"prompt":"p"}\n',
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "waggle-extensions-"));
  for (const [path, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("a source is a module and, after the last #, an export", () => {
  expect(moduleSource("./a.ts")).toEqual({ module: "./a.ts", exportName: "default" });
  expect(moduleSource("@scope/b#name")).toEqual({ module: "@scope/b", exportName: "name" });
  expect(moduleSource("#private")).toEqual({ module: "#private", exportName: "default" });
});

test("exports come from TypeScript files, by path and by name, and from packages", async () => {
  const rewards = ["./reward.ts", "reward.ts", join(folder, "reward.ts"), "some-package"];
  for (const source of rewards) {
    const reward = (await rewardFrom(source, folder)) as unknown as () => number;
    expect(reward()).toBe(1);
  }
  const half = (await rewardFrom("./reward.ts#half", folder)) as unknown as () => number;
  expect(half()).toBe(0.5);
});

test("recipes are found in the catalogue first, then in files and packages", async () => {
  expect(await recipeFrom("grpo", folder)).toBe(recipeNamed("grpo"));
  expect((await recipeFrom("./recipe.js", folder)).recipeName).toBe("mine");
  expect((await recipeFrom("some-package#theirs", folder)).recipeName).toBe("theirs");
});

test.each([
  ["./absent.ts", "NOT_FOUND", /--reward \.\/absent\.ts: there is no file .*absent\.ts/],
  [
    "absent-package",
    "NOT_FOUND",
    /package absent-package is not installed in .*; run npm install absent-package/,
  ],
  ["@a/b/c.js", "NOT_FOUND", /package @a\/b is not installed/],
  ["some-package/other", "NOT_FOUND", /package some-package does not export other/],
  ["./reward.ts#three", "INVALID_ARGUMENT", /has no export three; it exports half, two\. Write/],
  ["./reward.ts#two", "INVALID_ARGUMENT", /is number and not a function/],
  ["./broken.ts", "INVALID_ARGUMENT", /broken\.ts cannot be loaded: .*nothing-of-that-name/],
  ["./syntax.ts", "INVALID_ARGUMENT", /syntax\.ts cannot be loaded: /],
])("reward %s is refused with what to do", async (source, code, message) => {
  await expect(rewardFrom(source, folder)).rejects.toMatchObject({
    code,
    message: expect.stringMatching(message),
  });
});

test("a recipe that nobody knows is answered with similar names and both places", async () => {
  await expect(recipeFrom("grpp", folder)).rejects.toMatchObject({
    message: expect.stringMatching(
      /unknown recipe "grpp": it is neither in the catalogue .*Similar: grpo.*pass a file such as/,
    ),
  });
  await expect(recipeFrom("some-package", folder)).rejects.toThrow(
    /exports a function, not a recipe/,
  );
  await expect(recipeFrom("./reward.ts#two", folder)).rejects.toThrow(
    /exports a number, not a recipe/,
  );
});

test("datasets are JSON lines, arrays, and modules that give rows", async () => {
  const requests = async (source: string) =>
    (await promptDatasetFrom(source, folder)).rows.map(({ request }) => request).join("");
  expect(await requests("./prompts.jsonl")).toBe("ab");
  expect(await requests("prompts.jsonl")).toBe("ab");
  expect(await requests("./prompts.json")).toBe("abc");
  expect(await requests("./rows.mjs")).toBe("xy");
  expect(await requests("./rows.mjs#few")).toBe("z");
  expect(await requests("some-package/prompts.jsonl")).toBe("p");
  const [lines, few] = [
    await promptDatasetFrom("./prompts.jsonl", folder),
    await promptDatasetFrom("./rows.mjs#few", folder),
  ];
  expect([lines.name, few.name]).toEqual(["data-prompts", "data-rows-few"]);
  expect(lines.sha256).not.toBe(few.sha256);
});

test.each([
  ["./absent.jsonl", /--dataset \.\/absent\.jsonl: there is no file/],
  ["./damaged.jsonl", /--dataset \.\/damaged\.jsonl: line 2 is not JSON: \{"prompt":$/],
  ["./lacking.jsonl", /row 2 has the columns text; one of prompt, question, messages/],
  ["./object.json", /object\.json holds no array/],
  ["./reward.ts#two", /gives number; export an array of rows/],
])("dataset %s is refused with the place", async (source, message) => {
  await expect(promptDatasetFrom(source, folder)).rejects.toThrow(message);
});

test("an export is looked up by itself, not in what objects inherit", async () => {
  await expect(loadExport("--reward", "./reward.ts#toString", folder)).rejects.toThrow(
    /no export toString/,
  );
});
