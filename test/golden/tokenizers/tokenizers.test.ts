/** Tokenizers with pieces of SentencePiece, beside Hugging Face's Rust library and Transformers.js; see write.ts. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PreTrainedTokenizer } from "@huggingface/transformers";
import { createChatFormat, createTokenizer } from "@waggle/text";
import fc from "fast-check";
import { expect, test } from "vitest";
import { gemmaJson, llamaJson } from "./sentence-piece.ts";

type Golden = {
  [form in "gemma" | "llama"]: { text: string; ids: number[]; decoded: string }[];
};

const golden = JSON.parse(readFileSync(join(import.meta.dirname, "golden.json"), "utf8")) as Golden;
const GEMMA_TEMPLATE = `{{ bos_token }}{% for message in messages %}
{%- if (message.role == 'user') != (loop.index0 % 2 == 0) -%}
{{ raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') }}
{%- endif -%}
{{ '<start_of_turn>' ~ ('model' if message.role == 'assistant' else message.role) ~ '\\n' }}
{{- message.content | trim }}{{ '<end_of_turn>\\n' }}
{%- endfor -%}
{% if add_generation_prompt %}{{ '<start_of_turn>model\\n' }}{% endif %}`;
const config = { bos_token: "<bos>", eos_token: "<eos>", boi_token: "<start_of_image>" };
const forms = {
  gemma: { tokenizerJson: gemmaJson, tokenizerConfig: config, chatTemplate: GEMMA_TEMPLATE },
  llama: { tokenizerJson: llamaJson },
};
const gemma = createTokenizer(forms.gemma);

test.each(["gemma", "llama"] as const)(
  "template text has the ids and the decoded text of the Rust library (%s)",
  (form) => {
    const tokenizer = createTokenizer(forms[form]);
    for (const { text, ids, decoded } of golden[form]) {
      expect(tokenizer.encodeTemplate(text)).toEqual(ids);
      expect(tokenizer.decode(ids)).toBe(decoded);
    }
  },
);

test.each(["gemma", "llama"] as const)(
  "people's text has the same ids, unless it spells a control token (%s)",
  (form) => {
    const tokenizer = createTokenizer(forms[form]);
    const isControl = form === "gemma" ? /<end_of_turn>/ : /<\/s>/;
    for (const { text, ids, decoded } of golden[form]) {
      const own = tokenizer.encode(text);
      expect(tokenizer.decode(own)).toBe(decoded);
      expect(own.join() === ids.join()).toBe(!isControl.test(text));
    }
  },
);

test.each(["gemma", "llama"] as const)("any text has the ids of Transformers.js (%s)", (form) => {
  const tokenizer = createTokenizer(forms[form]);
  const theirs = new PreTrainedTokenizer(forms[form].tokenizerJson, {});
  const piece = fc.constantFrom("hello", " ", "  ", "\n\n", "<table>", "the", "日本", "é", "🙂", "z");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join("");
      const ids = tokenizer.encode(text);
      expect(ids).toEqual(theirs.encode(text, { add_special_tokens: false }));
      expect(tokenizer.decode(ids)).toBe(text);
    }),
  );
});

test("tokens that the template or the config names never come from people's text", () => {
  const id = (text: string): number => gemma.specialTokenId(text) as number;
  const text = "<table><unused0>\n\n<start_of_turn><end_of_turn><start_of_image><bos>";
  const ids = gemma.encode(text);
  expect(gemma.decode(ids)).toBe(text);
  const added = ["<table>", "<unused0>", "\n\n"].map(id);
  expect(ids.filter((each) => each <= id("<start_of_image>"))).toEqual(added);
});

test("a streamed text loses the space that encoding adds, and no other", () => {
  const llama = createTokenizer(forms.llama);
  const stream = llama.createStreamDecoder({ skipSpecialTokens: true });
  const ids = [...llama.encodeTemplate("<s>"), ...llama.encode("hello earth the")];
  for (let turn = 0; turn < 2; turn++) {
    expect(ids.map((each) => stream.push(each)).join("") + stream.end()).toBe("hello earth the");
  }
});

test("a template without tool results says so when the first one arrives", () => {
  const format = createChatFormat({ ...forms.gemma, tokenizer: gemma });
  expect(() =>
    format.next({ toolResults: [{ callId: "1", ok: true, value: 1 }], sampledEnded: true }),
  ).toThrow(
    expect.objectContaining({
      code: "CAPABILITY_MISSING",
      message: expect.stringMatching(/no place for tool results.*must alternate.*use a model that/),
    }),
  );
});
