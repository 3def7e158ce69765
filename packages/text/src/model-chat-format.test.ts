import { WaggleError } from "@waggle/protocol";
import { expect, test } from "vitest";
import { trainByteLevelBpe } from "./bpe-trainer.ts";
import { readChatFormat } from "./model-chat-format.ts";
import { NANO_CHAT_TEMPLATE, NANO_SPECIAL_TOKENS, nanoTokenizerConfig } from "./nano-template.ts";
import { createTokenizer } from "./create-tokenizer.ts";

const tokenizerJson = trainByteLevelBpe([NANO_CHAT_TEMPLATE], {
  vocabularySize: 300,
  specialTokens: NANO_SPECIAL_TOKENS,
});
const tokenizer = createTokenizer({ tokenizerJson });
const id = (token: string): number => tokenizer.specialTokenId(token)!;

function folder(files: { readonly [path: string]: unknown }): Map<string, Uint8Array> {
  const all = { "tokenizer.json": tokenizerJson, ...files };
  return new Map(
    Object.entries(all).map(([path, value]) => [
      path,
      new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value)),
    ]),
  );
}

const config = { "tokenizer_config.json": nanoTokenizerConfig(512) };
const end = id("<|im_end|>");
const stops = (files: { readonly [path: string]: unknown }): readonly number[] =>
  readChatFormat(folder({ ...config, ...files })).stopTokenIds;

test("special end-of-sequence ids of the generation config end a turn, ordinary tokens do not", () => {
  expect(stops({})).toEqual([end]);
  expect(
    stops({ "generation_config.json": { eos_token_id: [id("<|endoftext|>"), end, 65] } }),
  ).toEqual([end, id("<|endoftext|>")]);
  const eos = { eos_token_id: id("<|endoftext|>") };
  expect(stops({ "config.json": eos })).toEqual([end, id("<|endoftext|>")]);
  expect(stops({ "config.json": eos, "generation_config.json": { eos_token_id: end } })).toEqual([
    end,
  ]);
});

test("a template file takes precedence over the tokenizer config's template", () => {
  const files = folder({
    ...config,
    "chat_template.jinja": NANO_CHAT_TEMPLATE.replaceAll("Tools:", "Functions:"),
  });
  const start = readChatFormat(files).start({
    system: "",
    tools: [{ name: "go", description: "", parameters: { type: "object" }, source: "page" }],
    userMessage: "hi",
  });
  expect(tokenizer.decode(start.flatMap(({ tokenIds }) => tokenIds))).toContain("Functions: go()");
});

test("a folder without a tokenizer or with a broken file is refused", () => {
  for (const files of [new Map<string, Uint8Array>(), folder({ "tokenizer_config.json": "{" })]) {
    let caught: unknown;
    try {
      readChatFormat(files);
    } catch (error) {
      caught = error;
    }
    expect(WaggleError.is(caught, "MODEL_CORRUPT")).toBe(true);
  }
});

test("a folder whose template cannot be evaluated is refused, and the error names the construct", () => {
  const files = folder({ ...config, "chat_template.jinja": "{% set budgets = {512: 128} %}" });
  expect(() => readChatFormat(files)).toThrow(
    expect.objectContaining({
      code: "TEMPLATE_UNSUPPORTED",
      message: expect.stringContaining("Object keys must be strings") as unknown,
    }),
  );
});
