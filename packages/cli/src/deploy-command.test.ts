/** What `waggle deploy` says. A program that does nothing is in Wrangler's place. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { afterEach, expect, test } from "vitest";
import { sampleSize } from "../../../test/fixtures/long.ts";
import { PLANNER_FILES, plannerSite } from "../../../test/fixtures/planner-site.ts";
import { createWaggle } from "./program.ts";

const WAGGLE_PACKAGES = join(import.meta.dirname, "../../../node_modules/@waggle");

const removals: (() => void)[] = [];
afterEach(() => removals.splice(0).forEach((remove) => remove()));

const CONFIG = PLANNER_FILES["waggle.config.ts"] ?? "";

/** A site without an environment. @param edge - a member of its config */
function answeringSite(id: string, edge = ""): string {
  const config = CONFIG.replace(/^ {2}(environment|reward): .*$/gm, "")
    .replace('id: "planner"', `id: "${id}"`)
    .replace("  base:", `  model: "./its model",\n  ${edge}\n  base:`);
  return withoutWrangler({ "waggle.config.ts": config, "its model/config.json": "{}" });
}

/** The folder of a site with these files. */
function withoutWrangler(files: { readonly [file: string]: string }): string {
  const { folder, remove } = plannerSite(files);
  removals.push(remove);
  const modules = join(folder, "node_modules");
  rmSync(modules);
  mkdirSync(join(modules, "wrangler/bin"), { recursive: true });
  symlinkSync(WAGGLE_PACKAGES, join(modules, "@waggle"));
  writeFileSync(join(modules, "wrangler/package.json"), "{}");
  writeFileSync(join(modules, "wrangler/bin/wrangler.js"), "");
  return folder;
}

async function deploy(...args: readonly string[]) {
  const out: string[] = [];
  const errors: string[] = [];
  const program = createWaggle({
    signal: new AbortController().signal,
    writeOut: (line) => void out.push(line),
    writeError: (line) => void errors.push(line),
    environment: {},
  });
  await program.parseAsync(["deploy", ...args], { from: "user" });
  return { out, errors };
}

const DATABASE = ["--database", "d"];
const EDGE = 'edge: { url: "https://edge.example" },';

test("the command that serves a site's model has the edge, the site and the model as arguments of a shell", async () => {
  const [first, second] = [answeringSite("desk", EDGE), answeringSite("shop")];
  const { errors } = await deploy(first, second, ...DATABASE);
  expect(errors.filter((line) => line.startsWith("to serve"))).toEqual([
    `to serve its model: npx waggle publish --edge https://edge.example --model '${first}/its model'`,
    `to serve its model: npx waggle publish --edge https://edge.example --site shop --model '${second}/its model'`,
  ]);
  const { errors: unknown } = await deploy(second, "--dry-run");
  expect(unknown.at(-1)).toBe(
    `to serve its model: npx waggle publish --edge "$EDGE" --model '${second}/its model'`,
  );
});

test("the commands that make and train a site's model have the settings of its config", async () => {
  const folder = withoutWrangler({ "waggle.config.ts": CONFIG });
  const { out } = await deploy(folder, "--dry-run", "--edge", "https://edge.example");
  const place = relative(process.cwd(), folder);
  expect(out.slice(-2)).toEqual([
    `to make the base model of planner: npx waggle base ${place}`,
    "to train planner, with its trainer's credential in WAGGLE_TRAINER_CREDENTIAL: npx waggle train-edge " +
      `--edge https://edge.example --env ${place} --recipe grpo --publish-every 2 --set groupSize=4 ` +
      `--model ${place}/.waggle/bases/planner`,
  ]);
  const withBase = withoutWrangler({
    "waggle.config.ts": CONFIG,
    ".waggle/bases/planner/config.json": "{}",
  });
  expect((await deploy(withBase, "--dry-run")).out.at(-2)).toMatch(/^site default: /);
});

test("what is missing to create the other sites is named", async () => {
  const [known, unknown] = [answeringSite("desk", EDGE), answeringSite("shop")];
  const said = async (...args: readonly string[]) => {
    const { out } = await deploy(...args);
    return out.at(-2)?.split(".", 1)[0];
  };
  const cases: readonly (readonly [args: readonly string[], said: string])[] = [
    [[known, unknown, ...DATABASE], "Without --credential, no site is created"],
    [[unknown, known, ...DATABASE], "Without --edge and --credential, no site is created"],
    [[unknown, known, ...DATABASE, "--credential", "c"], "Without --edge, no site is created"],
    [
      [known, unknown, "--dry-run", "--credential", "c"],
      "After a deployment, the sites that do not exist yet are created",
    ],
    [
      [known, unknown, "--dry-run"],
      "After a deployment with --credential, the sites that do not exist yet are created",
    ],
  ];
  for (const [args, words] of cases.slice(0, sampleSize(2, cases.length))) {
    expect(await said(...args)).toBe(words);
  }
});
