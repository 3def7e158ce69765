/**
 * Encoders for every kind of BPE, by @huggingface/tokenizers: byte-level (Qwen, Llama 3, SmolLM, LFM2) and SentencePiece
 * with byte fallback (Gemma, Llama 2, Mistral).
 */
import { Tokenizer as LibraryTokenizer } from "@huggingface/tokenizers";
import { isObject } from "@waggle/protocol";
import { controlTest } from "./control-tokens.ts";
import type { Encoders } from "./tokenizer.ts";
import type { AddedTokenJson, TokenizerFiles } from "./tokenizer-json.ts";

/** Two encoders that share one vocabulary, because building it takes most of the time and memory. */
export function libraryEncoders(files: TokenizerFiles): Encoders {
  const { tokenizerJson } = files;
  const { added_tokens: added = [], model } = tokenizerJson;
  const isControl = controlTest(files);
  const required = { normalizer: null, post_processor: null };
  const pre_tokenizer = withAllDigits(tokenizerJson["pre_tokenizer"] ?? null);
  const open = (added_tokens: readonly AddedTokenJson[], json: object): LibraryTokenizer =>
    new LibraryTokenizer(
      { ...required, ...tokenizerJson, pre_tokenizer, added_tokens, model: json },
      {},
    );
  const text = open(
    added.filter((token) => !isControl(token)),
    model,
  );
  removeFromModel(text.model as BpeModel, added.filter(isControl));
  const template = open(added, { type: "BPE", vocab: {}, merges: [] });
  template.model = text.model;
  return { encode: encoder(text), encodeTemplate: encoder(template) };
}

/** Splits at all of Unicode's numbers, such as ½. The library's `Digits` knows 0 to 9 only. */
function withAllDigits(preTokenizer: unknown): unknown {
  if (!isObject(preTokenizer)) return preTokenizer;
  const { type, pretokenizers, individual_digits } = preTokenizer;
  if (Array.isArray(pretokenizers)) {
    return { ...preTokenizer, pretokenizers: pretokenizers.map(withAllDigits) };
  }
  if (type !== "Digits") return preTokenizer;
  const pattern = { Regex: individual_digits ? String.raw`\p{N}` : String.raw`\p{N}+` };
  return { type: "Split", pattern, behavior: "Isolated", invert: false };
}

const encoder =
  (tokenizer: LibraryTokenizer): Encoders["encode"] =>
  (text) =>
    tokenizer.encode(text, { add_special_tokens: false }).ids;

/** What is changed in the library's model, which the library does not type. */
type BpeModel = {
  readonly tokens_to_ids: Map<string, number>;
  readonly bpe_ranks: Map<string, number>;
  merges: readonly unknown[];
};

/**
 * Removes control tokens from the model: from its vocabulary, where `ignore_merges` would look words up, and from the
 * results of merges.
 */
function removeFromModel(model: BpeModel, control: readonly AddedTokenJson[]): void {
  for (const { content: token } of control) {
    // Single characters are kept, because they may be one of the 256 bytes.
    if (token.length < 2 || !model.tokens_to_ids.delete(token)) continue;
    for (let at = 1; at < token.length; at++) {
      model.bpe_ranks.delete(JSON.stringify([token.slice(0, at), token.slice(at)]));
    }
  }
  // Only the library's constructor reads this list.
  model.merges = [];
}
