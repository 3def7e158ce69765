/** What `waggle deploy` says. A program that does nothing is in Wrangler's place. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { PLANNER_FILES, plannerSite } from "../../../test/fixtures/planner-site.ts";
import { createWaggle } from "./program.ts";

const WAGGLE_PACKAGES = join(import.meta.dirname, "../../../node_modules/@waggle");

const removals: (() => void)[] = [];
afterEach(() => removals.splice(0).forEach((remove) => remove()));

/** A site without an environment. @param edge - a member of its config */
function answeringSite(id: string, edge = ""): string {
  const config = (PLANNER_FILES["waggle.config.ts"] ?? "")
    .replace(/^ {2}(environment|reward): .*$/gm, "")
    .replace('id: "planner"', `id: "${id}"`)
    .replace("  base:", `  model: "./its model",\n  ${edge}\n  base:`);
  const { folder, remove } = plannerSite({
    "waggle.config.ts": config,
    "its model/config.json": "{}",
  });
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

test("what is missing to create the other sites is named", async () => {
  const [known, unknown] = [answeringSite("desk", EDGE), answeringSite("shop")];
  const said = async (...args: readonly string[]) => {
    const { out } = await deploy(...args);
    return out.at(-2)?.split(".", 1)[0];
  };
  expect(await said(known, unknown, ...DATABASE)).toBe("Without --credential, no site is created");
  expect(await said(unknown, known, ...DATABASE)).toBe(
    "Without --edge and --credential, no site is created",
  );
  expect(await said(unknown, known, ...DATABASE, "--credential", "c")).toBe(
    "Without --edge, no site is created",
  );
  expect(await said(known, unknown, "--dry-run", "--credential", "c")).toBe(
    "After a deployment, the sites that do not exist yet are created",
  );
  expect(await said(known, unknown, "--dry-run")).toBe(
    "After a deployment with --credential, the sites that do not exist yet are created",
  );
});
