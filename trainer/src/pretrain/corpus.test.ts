import { mulberry32 } from "@waggle/protocol";
import { readFileSync } from "node:fs";
import { demonstrate, EXPERT, SHOP_TOOLS } from "@waggle/environments";
import type { TokenizerConfigJson, TokenizerJson } from "@waggle/text";
import { beforeAll, expect, test } from "vitest";
import { corpusDemonstration, renderDemonstration, trainNanoText } from "./corpus.ts";
import { type NanoText, openNanoText } from "./nano-text.ts";
import { PRETRAINING_SKILL } from "./nano-recipe.ts";

const options = {
  seed: 1,
  count: 100,
  vocabularySize: 600,
  contextLength: 512,
  skill: PRETRAINING_SKILL,
};

let text: NanoText;
beforeAll(async () => {
  text = await trainNanoText(options);
});

test("the same seed gives the same tokenizer", async () => {
  expect((await trainNanoText(options)).tokenizerJson).toEqual(text.tokenizerJson);
});

test("a demonstration depends only on seed and index", async () => {
  const one = await corpusDemonstration(7, 5, PRETRAINING_SKILL);
  expect(await corpusDemonstration(7, 5, PRETRAINING_SKILL)).toEqual(one);
  expect(await corpusDemonstration(7, 6, PRETRAINING_SKILL)).not.toEqual(one);
  expect(await corpusDemonstration(8, 5, PRETRAINING_SKILL)).not.toEqual(one);
});

test("the policy's tokens decode to the demonstrated turns, each ended by the stop token", async () => {
  for (let index = 0; index < 20; index++) {
    const demonstration = await corpusDemonstration(1, index, PRETRAINING_SKILL);
    const { tokenIds, roles } = renderDemonstration(text.chat, demonstration);
    const said: number[][] = [];
    for (const [t, role] of roles.entries()) {
      if (role !== "assistant") continue;
      if (roles[t - 1] !== "assistant") said.push([]);
      said.at(-1)?.push(tokenIds[t] as number);
    }
    expect(said.map((ids) => ids.at(-1))).toEqual(said.map(() => text.chat.stopTokenIds[0]));
    const read = said.map((ids) => text.chat.parseAssistant(text.chat.decodeAssistant(ids)));
    expect(read).toEqual(
      demonstration.turns.map((turn) => ({
        text: turn.text,
        toolCalls: turn.toolCalls.map((call) => ({ name: call.name, arguments: call.arguments })),
        parseError: null,
      })),
    );
  }
});

test("the given tokens are those that a rollout would be given", async () => {
  const { system, request } = await corpusDemonstration(1, 0, PRETRAINING_SKILL);
  const start = text.chat
    .start({ system, tools: SHOP_TOOLS, userMessage: request })
    .flatMap((segment) => segment.tokenIds);
  const { tokenIds } = renderDemonstration(
    text.chat,
    await corpusDemonstration(1, 0, PRETRAINING_SKILL),
  );
  expect(tokenIds.slice(0, start.length)).toEqual(start);
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
  for (let seed = 0; seed < 300; seed++) {
    const reference = { environment: "shop", seed, split: "heldOut" } as const;
    const gold = await demonstrate(reference, mulberry32(seed), EXPERT);
    lengths.push(renderDemonstration(nano.chat, gold).tokenIds.length);
  }
  expect(Math.max(...lengths)).toBeLessThanOrEqual(256);
});
