import fc from "fast-check";
import { expect, test } from "vitest";
import { trainByteLevelBpe } from "../bpe-trainer.ts";
import { NANO_SPECIAL_TOKENS } from "../nano-template.ts";
import { createTokenizer } from "../create-tokenizer.ts";
import { createAssistantDecoder, createTokenReader } from "./decoder.ts";
import { HERMES } from "./hermes.ts";
import { createAssistantReader } from "./reader.ts";

const tokenizer = createTokenizer({
  tokenizerJson: trainByteLevelBpe([], { vocabularySize: 263, specialTokens: NANO_SPECIAL_TOKENS }),
});

const CALL = '<tool_call>{"name":"é"}</tool_call>';

function show(tokenIds: readonly number[]): string[] {
  const stream = tokenizer.createStreamDecoder({ skipSpecialTokens: true });
  const decoder = createAssistantDecoder(createTokenReader(stream, createAssistantReader(HERMES)));
  const deltas = [...tokenIds.flatMap((id) => decoder.push(id)), ...decoder.end()];
  expect(deltas.every((delta) => delta.text !== "")).toBe(true);
  const parts = deltas.map((delta) => ({ ...delta }));
  return parts.reduce<string[]>((merged, delta, index) => {
    if (index > 0 && parts[index - 1]?.part === delta.part) merged[merged.length - 1] += delta.text;
    else merged.push(`${delta.part}:${delta.text}`);
    return merged;
  }, []);
}

test("text and calls are separated, whether tags are tokens or text", () => {
  const text = `a < b${CALL}done<|im_end|>`;
  const expected = ["text:a < b", `tool-call:${CALL}`, "text:done"];
  expect(show(tokenizer.encodeTemplate(text))).toEqual(expected);
  expect(show([...tokenizer.encode(`a < b${CALL}done`)])).toEqual(expected);
});

test("an incomplete tag is returned as text at the end", () => {
  expect(show(tokenizer.encode("1 <tool_ca"))).toEqual(["text:1 <tool_ca"]);
});

test("no text is lost or changed", () => {
  const piece = fc.constantFrom("<tool_call>", "</tool_call>", "<tool", "é", "<", "}");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 10 }), (pieces) => {
      const text = pieces.join("");
      const shown = show(tokenizer.encode(text)).map((part) => part.replace(/^[a-z-]+:/, ""));
      expect(shown.join("")).toBe(text);
    }),
  );
});
