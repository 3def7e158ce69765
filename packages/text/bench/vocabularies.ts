/** Vocabularies to measure on: the nano model's, and large synthetic ones generated from a seed. */
import { seededRandom } from "@waggle/protocol";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BYTE_CHARACTERS, fromByteCharacters } from "../src/byte-level.ts";
import { readChatFormat } from "../src/model-chat-format.ts";
import type { TokenizerJson } from "../src/tokenizer-json.ts";

/** A vocabulary in the forms that both compilers need. */
export type BenchVocabulary = {
  readonly name: string;
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Tokens by id, in the byte-level alphabet; empty for control tokens. */
  readonly tokens: readonly string[];
  readonly stopTokenIds: readonly number[];
  /** Ids that spell a text, using the longest token at each place. */
  encode(text: string): number[];
  decode(tokenIds: readonly number[]): string;
};

const NANO = join(import.meta.dirname, "../../model/nano");

/** The tokenizer of the nano model. */
export function nanoVocabulary(): BenchVocabulary {
  const names = ["tokenizer.json", "tokenizer_config.json", "generation_config.json"];
  return vocabularyOf(new Map(names.map((name) => [name, readFileSync(join(NANO, name))])));
}

/**
 * A synthetic vocabulary: bytes, numbers, JSON punctuation, and words of one to five syllables. Some words follow
 * a space or are capitalized; one in six is Cyrillic or Chinese. Tokens average 6 bytes, like trained ones.
 */
export function largeVocabulary(size: number): BenchVocabulary {
  const random = seededRandom(size);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const words = new Set<string>([...SIGNS, ...Array.from({ length: 1000 }, (_, n) => String(n))]);
  const control = ["<|im_end|>", "<|im_start|>"];
  while (words.size < size - control.length - 256) {
    const isOther = random() < 1 / 6;
    const syllables = isOther ? pick([CYRILLIC, CHINESE]) : LATIN;
    const length = 1 + Math.floor(random() * (isOther ? 3 : 5));
    const word = Array.from({ length }, () => pick(syllables)).join("");
    const form = random();
    const written = form < 0.2 ? word[0]?.toUpperCase() + word.slice(1) : word;
    words.add(form < 0.7 ? ` ${written}` : written);
  }
  const encoder = new TextEncoder();
  const spell = (word: string) =>
    Array.from(encoder.encode(word), (byte) => BYTE_CHARACTERS[byte]).join("");
  const spelled = [...words].map(spell).filter((word) => word.length > 1);
  const tokens = [...BYTE_CHARACTERS, ...spelled];
  const file = (value: unknown) => encoder.encode(JSON.stringify(value));
  return vocabularyOf(
    new Map([
      [
        "tokenizer.json",
        file({
          model: {
            type: "BPE",
            vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
            merges: [],
          },
          decoder: { type: "ByteLevel" },
          pre_tokenizer: { type: "ByteLevel", add_prefix_space: false, use_regex: false },
          added_tokens: control.map((content, at) => ({
            content,
            id: tokens.length + at,
            special: true,
          })),
        }),
      ],
      ["tokenizer_config.json", file({ eos_token: control[0], chat_template: TEMPLATE })],
    ]),
  );
}

const TEMPLATE =
  "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";

const SIGNS = [
  '{"',
  '"}',
  '"}}',
  '":',
  '": ',
  '": "',
  '","',
  '", "',
  '",',
  "],",
  "},",
  "}, {",
  '["',
  '"]',
  "[[",
  "]]",
  "{}",
  "[]",
  " {",
  " [",
  ' "',
  "\n\n",
  "\r\n",
  "  ",
  "    ",
  "\t\t",
  "...",
  "--",
  "://",
  "</",
  "/>",
  "=>",
  "==",
  "();",
  " = ",
];
const LATIN =
  "con ter in re a tion er o the ing de es an li ma st pro ver com al en ti u ra is per ment ex y sub".split(
    " ",
  );
const CYRILLIC = ["по", "на", "ст", "ра", "ни", "ко", "то", "ем", "ов", "ость"];
const CHINESE = ["的", "一", "中", "国", "大", "学", "人", "时", "可", "分", "生", "会"];

function vocabularyOf(files: ReadonlyMap<string, Uint8Array>): BenchVocabulary {
  const json = JSON.parse(new TextDecoder().decode(files.get("tokenizer.json"))) as TokenizerJson;
  const tokens: string[] = [];
  for (const [token, id] of Object.entries(json.model.vocab)) tokens[id] = token;
  for (const { id } of json.added_tokens ?? []) tokens[id] = "";
  const ids = new Map(tokens.map((token, id) => [token, id]));
  const longest = tokens.reduce((length, token) => Math.max(length, token.length), 0);
  return {
    name: String(tokens.length),
    files,
    tokens,
    stopTokenIds: readChatFormat(files).stopTokenIds,
    encode: (text) => {
      const spelled = Array.from(new TextEncoder().encode(text), (b) => BYTE_CHARACTERS[b]);
      const found: number[] = [];
      for (let at = 0; at < spelled.length;) {
        let length = Math.min(longest, spelled.length - at);
        let id: number | undefined;
        for (; id === undefined; length--) id = ids.get(spelled.slice(at, at + length).join(""));
        found.push(id);
        at += length + 1;
      }
      return found;
    },
    decode: (tokenIds) =>
      new TextDecoder().decode(fromByteCharacters(tokenIds.map((id) => tokens[id]).join(""))),
  };
}
