import { demonstratedRollout } from "@waggle/agent/environments";
import { NANO_DEMONSTRATIONS, SHOP } from "@waggle/demo/environment";
import { mulberry32 } from "@waggle/protocol";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { TokenizerConfigJson, TokenizerJson } from "@waggle/text";
import { beforeAll, expect, test } from "vitest";
import { sampleSize } from "../../../test/fixtures/long.ts";
import { corpusDemonstration, corpusExample, trainNanoText } from "./corpus.ts";
import { byteText, type NanoText, openNanoText } from "./nano-text.ts";
import { DEFAULT_SEED } from "./pretrain-recipe.ts";

const options = {
  spec: NANO_DEMONSTRATIONS,
  seed: 1,
  count: 100,
  vocabularySize: 600,
  contextLength: 512,
};

let text: NanoText;
beforeAll(async () => {
  text = await trainNanoText(options);
});

const example = (seed: number, index: number) =>
  corpusExample(NANO_DEMONSTRATIONS, text.chat, seed, index);

/** Of the examples that the committed model was trained on, computed before the corpus took any environment. */
const FIRST_EXAMPLES = "1ac8a938c1f1d065f0623deecde0ad498db8297acf62d64da3d2d7c8bc9aae3e";

test("the nano model's corpus is the one that it was trained on", async () => {
  const { chat } = byteText(512);
  const hash = createHash("sha256");
  for (let index = 0; index < 200; index += 1) {
    const { tokenIds, roles } = await corpusExample(NANO_DEMONSTRATIONS, chat, DEFAULT_SEED, index);
    hash.update(JSON.stringify({ tokenIds, roles }));
  }
  expect(hash.digest("hex")).toBe(FIRST_EXAMPLES);
});

test("the same seed gives the same tokenizer", async () => {
  expect((await trainNanoText(options)).tokenizerJson).toEqual(text.tokenizerJson);
});

test("a demonstration depends only on seed and index", async () => {
  const one = await example(7, 5);
  expect(await example(7, 5)).toEqual(one);
  expect(await example(7, 6)).not.toEqual(one);
  expect(await example(8, 5)).not.toEqual(one);
});

test("the policy's tokens decode to the demonstrated turns, each ended by the stop token", async () => {
  for (let index = 0; index < 20; index++) {
    const { turns } = await corpusDemonstration(NANO_DEMONSTRATIONS, text.chat, 1, index);
    const { tokenIds, roles } = await example(1, index);
    const said: number[][] = [];
    for (const [t, role] of roles.entries()) {
      if (role !== "assistant") continue;
      if (roles[t - 1] !== "assistant") said.push([]);
      said.at(-1)?.push(tokenIds[t] as number);
    }
    expect(said.map((ids) => ids.at(-1))).toEqual(said.map(() => text.chat.stopTokenIds[0]));
    const read = said.map((ids) => text.chat.parseAssistant(text.chat.decodeAssistant(ids)));
    expect(read.map(({ toolCalls, parseError }) => ({ toolCalls, parseError }))).toEqual(
      turns.map(({ toolCalls }) => ({
        toolCalls: toolCalls.map((call) => ({ name: call.name, arguments: call.arguments })),
        parseError: null,
      })),
    );
  }
});

test("every solved held-out task fits 256 tokens of the committed tokenizer", async () => {
  const read = (name: string) =>
    JSON.parse(
      readFileSync(new URL(`../../../packages/model/nano/${name}`, import.meta.url), "utf8"),
    ) as unknown;
  const nano = openNanoText(
    read("tokenizer.json") as TokenizerJson,
    read("tokenizer_config.json") as TokenizerConfigJson,
  );
  const lengths: number[] = [];
  for (let seed = 0; seed < sampleSize(100, 300); seed++) {
    const { record } = await demonstratedRollout(
      SHOP,
      SHOP.reference(seed, "heldOut", 0),
      nano.chat,
      { random: mulberry32(seed), mistakes: 0, contextLength: 512 },
    );
    lengths.push(record.segments.reduce((sum, { tokenIds }) => sum + tokenIds.length, 0));
  }
  expect(Math.max(...lengths)).toBeLessThanOrEqual(256);
});
