import { seededRandom, type ToolCallFormat } from "@waggle/protocol";
import { expect, test } from "vitest";
import { toolCallFormatEntry } from "../tool-calls/formats.ts";
import { parseAssistant } from "../tool-calls/reader.ts";
import { createTokenizer } from "../create-tokenizer.ts";
import type { TokenizerJson } from "../tokenizer-json.ts";
import { createGrammarCompiler } from "./compiler.ts";
import { sample, tokenizerFiles } from "./grammar.fixture.ts";

const integer = (maximum: number) => ({ type: "integer", minimum: 1, maximum });

test.each<ToolCallFormat>(["hermes", "qwen-xml", "llama", "gemma", "mistral", "lfm"])(
  "a turn is a call or an answer of the schema in the format %s",
  async (format) => {
    const files = tokenizerFiles(['{"', '":', "find", "total"]);
    const tokenizerJson = JSON.parse(
      new TextDecoder().decode(files.get("tokenizer.json")),
    ) as TokenizerJson;
    const tokenizer = createTokenizer({ tokenizerJson });
    const call = { type: "object", properties: { id: integer(9) }, required: ["id"] };
    const answer = { type: "object", properties: { total: integer(99) }, required: ["total"] };
    const grammar = await createGrammarCompiler(files).compile({
      kind: "tool-calls",
      format,
      tools: [{ name: "find", parameters: call }],
      choice: "auto",
      parallel: false,
      answer,
    });
    const random = seededRandom(3);
    const turns = Array.from({ length: 40 }, () => {
      const text = tokenizer.decode(sample(grammar, 400, random));
      return { text, calls: parseAssistant(text, toolCallFormatEntry(format)).toolCalls };
    });
    const calls = turns.flatMap((turn) => turn.calls);
    const answers = turns.filter((turn) => turn.calls.length === 0);
    expect([calls.length, answers.length]).not.toContain(0);
    for (const each of calls) {
      expect(each).toMatchObject({ name: "find", arguments: { id: expect.any(Number) } });
    }
    for (const { text } of answers) expect(text).toMatch(/^\{"total": ?[1-9]\d?\}$/);
  },
);
