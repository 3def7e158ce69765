/**
 * Writes golden.json: ids and texts of Hugging Face's Rust library, tokenizers 0.22, which Transformers uses.
 *
 *     npm install --prefix /tmp/rust @anush008/tokenizers@0.6.0
 *     node --conditions=source test/golden/tokenizers/write.ts /tmp/rust
 */
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { gemmaJson, llamaJson } from "./sentence-piece.ts";

type RustTokenizer = {
  encode(
    text: string,
    pair: null,
    options: { addSpecialTokens: boolean },
  ): Promise<{ getIds(): number[] }>;
  decode(ids: number[], skipSpecialTokens: boolean): Promise<string>;
};
type Library = { Tokenizer: { fromString(json: string): RustTokenizer } };

const TEXTS = [
  "hello earth",
  " hello",
  "the  table   hello",
  "<table>hello</table>",
  "a\n\nb\n\n\nc",
  "▁▁ literal",
  "日本 é 🙂",
  "x".repeat(3) + " ".repeat(9) + "y",
  "<unused0> the <end_of_turn> hello</s>",
  "tableing the earth",
  "\t hello \t",
];

const { Tokenizer } = createRequire(join(process.argv[2] ?? ".", "package.json"))(
  "@anush008/tokenizers",
) as Library;
const golden: { [form: string]: object[] } = {};
for (const [form, json] of Object.entries({ gemma: gemmaJson, llama: llamaJson })) {
  const tokenizer = Tokenizer.fromString(JSON.stringify(json));
  golden[form] = [];
  for (const text of TEXTS) {
    const ids = [...(await tokenizer.encode(text, null, { addSpecialTokens: false })).getIds()];
    golden[form].push({ text, ids, decoded: await tokenizer.decode(ids, false) });
  }
}
writeFileSync(join(import.meta.dirname, "golden.json"), `${JSON.stringify(golden, null, 1)}\n`);
