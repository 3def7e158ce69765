import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { environmentNamed } from "@waggle/environments";
import { successRate } from "@waggle/evaluation";
import type { DecoderConfig } from "@waggle/model";
import { WAGGLE_VERSION } from "@waggle/protocol";
import { afterAll, expect, test } from "vitest";
import type { BaseModel } from "../model/base-model.ts";
import { DEFAULT_MODEL } from "../model/shipped-models.ts";
import { writeBaseCard } from "./base-card.ts";
import { CONTINUED_BASE } from "./continued-base.ts";
import { ENVIRONMENT_BASE } from "./environment-base.ts";
import { demonstrationsDigest } from "./environment-text.ts";

const folder = mkdtempSync(join(tmpdir(), "waggle-card-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const spec = environmentNamed("bandit");
const config: DecoderConfig = {
  modelType: "qwen3",
  vocabularySize: 300,
  width: 64,
  layers: 2,
  heads: 2,
  keyValueHeads: 2,
  headSize: 32,
  feedForwardSize: 128,
  ropeTheta: 10_000,
  rmsNormEpsilon: 1e-6,
  tiedEmbeddings: true,
  contextLength: 256,
  ropeScaling: null,
};

async function card(mistakes: number): Promise<string> {
  writeFileSync(join(folder, "model.safetensors"), new Uint8Array(2_500_000));
  const recipe = { ...ENVIRONMENT_BASE, steps: 40, mistakes };
  const rate = (of: number) => successRate(Array.from({ length: 50 }, (_, i) => i < of));
  const success = { sampled: rate(20), greedy: rate(35) };
  const unseen = { sampled: rate(5), greedy: rate(10) };
  const kinds = { open: success, refuse: unseen };
  const model = { config } as BaseModel;
  await writeBaseCard(folder, spec, { recipe, model }, { success, unseen, kinds, tools: null });
  return readFileSync(join(folder, "README.md"), "utf8");
}

test("a base's card says what it learned from, how often it succeeds, its size and its limits", async () => {
  const text = await card(0.25);
  const digest = await demonstrationsDigest(spec, {
    ...ENVIRONMENT_BASE,
    contextLength: 256,
    mistakes: 0.25,
  });
  for (const said of [
    "# Base model of bandit",
    "2.5 MB",
    "| demonstrations | 1,280 |",
    "| turns with a mistake | 25 % |",
    `\`${digest}\``,
    "50 tasks",
    "| temperature 1 | 40.0 %",
    "| greedy | 70.0 %",
    "| the 50 tasks whose wording is not in training, temperature 1 | 10.0 %",
    "| the 50 tasks whose wording is not in training, greedy | 20.0 %",
    "| open | 50 | 40.0 %",
    "| refuse | 50 | 10.0 %",
    "at most 256 tokens",
  ]) {
    expect(text).toContain(said);
  }
});

test("the card's digest changes with the demonstrations", async () => {
  const digestIn = (text: string) => /`([0-9a-f]{64})`/.exec(text)?.[1];
  const [one, other] = [digestIn(await card(0.25)), digestIn(await card(0.5))];
  expect(one).toBeDefined();
  expect(other).not.toBe(one);
});

/** The card of a base that goes on from the model in a folder. */
async function continuedCard(from: string): Promise<string> {
  writeFileSync(join(folder, "model.safetensors"), new Uint8Array(2_500_000));
  const rate = (of: number) => successRate(Array.from({ length: 50 }, (_, i) => i < of));
  const success = { sampled: rate(20), greedy: rate(35) };
  const recipe = { ...CONTINUED_BASE, from: "abc123", demonstrations: "0f0f" };
  const tools = { tool: rate(30), arguments: rate(15) };
  const model = { config } as BaseModel;
  await writeBaseCard(
    folder,
    spec,
    { recipe, model, from },
    { success, unseen: null, kinds: null, tools },
  );
  return readFileSync(join(folder, "README.md"), "utf8");
}

test("the card of a base that goes on from a model names it, and says how it does with new tools", async () => {
  const text = await continuedCard(folder);
  for (const said of [
    "the model with the hash `abc123`",
    "| demonstrations with invented tools | 25 % |",
    "`0f0f`",
    "| 50 tasks with tools never seen, greedy: right tool | 60.0 %",
    "| 50 tasks with tools never seen, greedy: right arguments | 30.0 %",
  ]) {
    expect(text).toContain(said);
  }
  expect(text).not.toMatch(/random weights|mistake|knows only|kind of task/);
});

test("the card of a base from the default model names that model's package and version", async () => {
  expect(await continuedCard(DEFAULT_MODEL)).toContain(
    `It went on from the default model of Waggle, @waggle/default-model ${WAGGLE_VERSION} (hash \`abc123\`).`,
  );
});
