/** A base that goes on from a model keeps its text and shape, learns the environment, and is made once. */
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineEnvironment, type EnvironmentSpec } from "@waggle/agent/define";
import { environmentNamed } from "@waggle/environments";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ChosenBase, chosenBase } from "./chosen-base.ts";
import { ENVIRONMENT_BASE, environmentBase } from "./environment-base.ts";

const { signal } = new AbortController();
let folder: string;
let first: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "waggle-continued-"));
  first = join(folder, "first");
  const recipe = { ...ENVIRONMENT_BASE, steps: 1, batchSize: 1, width: 32, layers: 1 };
  await environmentBase(environmentNamed("bandit"), first, recipe, {
    onProgress: () => {},
    signal,
  });
}, 120_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Answers with the name of a color. */
function colors(words: number): EnvironmentSpec {
  return defineEnvironment({
    name: "colors",
    prompt: Array.from({ length: words }, () => "Name the color.").join(" "),
    tasks: ({ pick }) => {
      const color = pick(["red", "green", "blue"]);
      return { request: `Say ${color}.`, state: {}, data: color };
    },
    tools: {},
    verify: ({ text, data }) => text === data,
    demonstrate: ({ data }) => [data],
  });
}

/** Makes the base. @returns it, with the losses that it reported. */
async function trained(name: string, spec: EnvironmentSpec, chosen: ChosenBase) {
  const losses: number[] = [];
  const base = await chosenBase(spec, join(folder, name), chosen, {
    onProgress: ({ loss }) => losses.push(loss),
    signal,
  });
  return { ...base, losses };
}

test("the base has the model's tokenizer and shape, learns, and is not made again", async () => {
  const chosen = { from: first, steps: 300 };
  const { model, losses, recipe } = await trained("base", colors(1), chosen);
  const file = (of: string) => readFile(join(folder, of, "tokenizer.json"), "utf8");
  expect(await file("base")).toBe(await file("first"));
  expect(model.config).toMatchObject({ width: 32, layers: 1 });
  expect(recipe).toMatchObject({ steps: 300, inventedEvery: 4 });
  // After 10, 100, 200 and 300 steps.
  expect(losses).toHaveLength(4);
  expect(losses[3]).toBeLessThan((losses[1] as number) - 0.3);
  const again = await trained("base", colors(1), chosen);
  expect(again.losses).toEqual([]);
  expect(again.model.reference.sha256).toBe(model.reference.sha256);
}, 120_000);

test("another model to go on from gives another base", async () => {
  const chosen = { steps: 1, seed: 3 };
  const one = await trained("changed", colors(1), { from: first, ...chosen });
  const other = await trained("changed", colors(1), { from: join(folder, "base"), ...chosen });
  expect(other.losses).toHaveLength(1);
  expect(other.model.reference.sha256).not.toBe(one.model.reference.sha256);
}, 120_000);

test("demonstrations longer than the model's context are refused before training", async () => {
  await expect(trained("long", colors(400), { from: first })).rejects.toThrow(
    /reads \d+ tokens, and 64 of the first 64 demonstrations of colors need more/,
  );
}, 120_000);

test("mistakes on purpose and a folder without a model are refused", async () => {
  await expect(trained("wrong", colors(1), { from: first, mistakes: 0.1 })).rejects.toThrow(
    /leave mistakes and habits out/,
  );
  await expect(trained("none", colors(1), { from: join(folder, "no-model") })).rejects.toThrow(
    /no-model/,
  );
}, 120_000);

test("a base does not replace the model that it goes on from", async () => {
  await expect(trained("first", colors(1), { from: first })).rejects.toThrow(
    /would replace the model/,
  );
});

test("a model with a template of another kind is refused", async () => {
  const other = join(folder, "other");
  await cp(first, other, { recursive: true });
  const file = join(other, "tokenizer_config.json");
  const config = JSON.parse(await readFile(file, "utf8")) as { chat_template: string };
  config.chat_template += "{# another one #}";
  await writeFile(file, JSON.stringify(config));
  await expect(trained("foreign", colors(1), { from: other })).rejects.toThrow(
    /is not one of train-base; choose a model that train-base made/,
  );
}, 120_000);
