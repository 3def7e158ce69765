/** A site without an environment: its model answers, and nothing practices. */
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { PLANNER_FILES, plannerSite } from "../../../../test/fixtures/planner-site.ts";
import { runLoop } from "../loop/loop.ts";
import { writeDeployment } from "../stack/worker-project.ts";
import { namedModel, requireEnvironment, type Site, siteFrom, siteModel } from "./site.ts";

const removals: (() => void)[] = [];
afterEach(() => removals.splice(0).forEach((remove) => remove()));

/** @param model - a line of the config. */
async function answering(model = ""): Promise<Site> {
  const config = (PLANNER_FILES["waggle.config.ts"] ?? "").replace(
    /^ {2}(environment|reward): .*$/gm,
    "",
  );
  const { folder, remove } = plannerSite({
    "waggle.config.ts": config.replace("  base:", `  ${model}\n  base:`),
    "model/config.json": "{}",
  });
  removals.push(remove);
  return siteFrom(folder);
}

const { signal } = new AbortController();

test("is loaded with its page, its edge tools and its model, and without what practices", async () => {
  const site = await answering('model: "./model",');
  expect(site).toMatchObject({ name: "planner", environment: null });
  expect(site).not.toHaveProperty("practice");
  expect(site).not.toHaveProperty("source");
  expect(site.edgeTools).toContain("edge-tools.ts");
  expect(namedModel(site)).toBe(join(site.project, "model"));
  expect(await siteModel(site, () => undefined, signal)).toBe(join(site.project, "model"));
});

test("is deployed as an edge that assigns no tasks", async () => {
  const site = await answering('model: "./model",');
  const folder = join(site.project, ".waggle", "deploy");
  mkdirSync(folder, { recursive: true });
  const config = JSON.parse(readFileSync(writeDeployment(folder, [site]), "utf8")) as {
    readonly vars: object;
  };
  expect(config.vars).toMatchObject({ GATE_MIN_TASKS: "32" });
  expect(config.vars).not.toHaveProperty("TASK_ENVIRONMENT");
});

test("is refused without a model, and the error says what to write", async () => {
  const site = await answering();
  const message =
    /the site planner has no model, and no environment to make one from; write the folder of a model, such as model: "\.\/model", into waggle\.config\.ts/;
  expect(() => namedModel(site)).toThrow(message);
  await expect(siteModel(site, () => undefined, signal)).rejects.toThrow(message);
});

test("is refused where practice is needed, and the error says what to add", async () => {
  const site = await answering('model: "./model",');
  expect(() => requireEnvironment(site, "waggle base")).toThrow(
    "waggle base needs tasks to practice, and the site planner has no environment; add environment: () => import('./practice/environment.ts') to waggle.config.ts",
  );
  const folder = join(site.project, ".waggle", "loop");
  await expect(runLoop({ site, folder, onLine: () => undefined } as never)).rejects.toThrow(
    "waggle loop needs tasks to practice",
  );
});
