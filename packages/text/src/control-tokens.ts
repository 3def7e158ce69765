/**
 * Tells control tokens from other added tokens. A control token gives a conversation its structure and must never come
 * from untrusted text. Gemma's file also adds thousands of ordinary tokens, such as `<table>` and runs of spaces:
 * SentencePiece always uses them for such text, so a prompt without them is not like the text that Gemma learned from.
 */
import type { AddedTokenJson, TokenizerFiles } from "./tokenizer-json.ts";

/**
 * A test for the added tokens that control a conversation: special tokens, tokens outside the model's own vocabulary
 * (such as Qwen's `<tool_call>`), tokens that remove spaces beside them (such as Phi-3's `</s>`), and tokens that the
 * chat template or the config names.
 */
export function controlTest(files: TokenizerFiles): (token: AddedTokenJson) => boolean {
  const { vocab } = files.tokenizerJson.model;
  const naming = JSON.stringify([
    files.chatTemplate,
    { ...files.tokenizerConfig, added_tokens_decoder: null },
  ]);
  return ({ content, special, lstrip, rstrip }) =>
    special ||
    Boolean(lstrip || rstrip) ||
    !Object.hasOwn(vocab, content) ||
    (content.trim() !== "" && naming.includes(JSON.stringify(content).slice(1, -1)));
}
