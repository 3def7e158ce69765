import { seededRandom, type ToolCallFormat } from "@waggle/protocol";
import { expect, test } from "vitest";
import { toolCallFormatEntry } from "../tool-calls/formats.ts";
import { parseAssistant } from "../tool-calls/reader.ts";
import { createTokenizer } from "../create-tokenizer.ts";
import type { TokenizerJson } from "../tokenizer-json.ts";
import { createGrammarCompiler } from "./compiler.ts";
import { flatObject } from "./flat-object.ts";
import { sample, shortestBudget, tokenizerFiles } from "./grammar.fixture.ts";

const BY_ID = {
  type: "object",
  properties: { kind: { const: "id" }, id: { type: "integer", minimum: 1, maximum: 9 } },
  required: ["kind", "id"],
};
const BY_DATE = {
  type: "object",
  properties: { kind: { const: "date" }, day: { type: "string", format: "date" } },
  required: ["kind", "day"],
};

test("members of all branches are allowed, and those that all require are required", () => {
  expect(flatObject({ anyOf: [BY_ID, BY_DATE] }, {})).toEqual({
    type: "object",
    properties: {
      kind: { anyOf: [{ const: "id" }, { const: "date" }] },
      id: BY_ID.properties.id,
      day: BY_DATE.properties.day,
    },
    required: ["kind"],
  });
});

test("references and allOf give their members together", () => {
  const root = { $defs: { id: BY_ID }, allOf: [{ $ref: "#/$defs/id" }, { required: ["day"] }] };
  expect(flatObject(root, root)).toMatchObject({
    properties: BY_ID.properties,
    required: ["kind", "id", "day"],
  });
});

test("a schema that refers to itself ends", () => {
  const root = { anyOf: [{ $ref: "#" }, { $ref: "#" }, BY_ID] };
  expect(flatObject(root, root)).toMatchObject({ properties: { id: BY_ID.properties.id } });
});

test("a plain object is unchanged", () => {
  expect(flatObject(BY_ID, BY_ID)).toEqual(BY_ID);
});

test.each<ToolCallFormat>(["hermes", "qwen-xml", "llama", "mistral", "lfm"])(
  "a tool whose arguments are a union has calls in the format %s",
  async (format) => {
    const files = tokenizerFiles(['{"', '":', "2024-", "find"]);
    const tokenizer = createTokenizer({
      tokenizerJson: JSON.parse(
        new TextDecoder().decode(files.get("tokenizer.json")),
      ) as TokenizerJson,
    });
    const tools = [{ name: "find", parameters: { oneOf: [BY_ID, BY_DATE] } }];
    const grammar = await createGrammarCompiler(files).compile({
      kind: "tool-calls",
      format,
      tools,
      choice: "required",
      parallel: false,
    });
    const random = seededRandom(2);
    for (let i = 0; i < 8; i++) {
      const budget = shortestBudget(grammar) + 40;
      const text = tokenizer.decode(sample(grammar, budget, random));
      const { toolCalls } = parseAssistant(text, toolCallFormatEntry(format), { tools });
      expect(toolCalls).toHaveLength(1);
      expect(["id", "date"]).toContain(
        (toolCalls[0]?.arguments as { kind?: string } | undefined)?.kind,
      );
    }
  },
);
