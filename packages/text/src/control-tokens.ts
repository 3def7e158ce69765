/**
 * Tells control tokens from other added tokens. A control token gives a conversation its structure and must never come
 * from untrusted text. Gemma's file also adds thousands of ordinary tokens, such as `<table>` and runs of spaces:
 * SentencePiece always uses them for such text, so a prompt without them is not like the text that Gemma learned from.
 */
import { TOOL_CALL_MARKERS } from "./tool-calls/markers.ts";
import type { AddedTokenJson, TokenizerConfigJson, TokenizerJson } from "./tokenizer-json.ts";

/** The text that names control tokens. */
export type ControlSources = {
  readonly tokenizerJson: TokenizerJson;
  readonly tokenizerConfig?: TokenizerConfigJson;
  readonly chatTemplate?: string;
};

/**
 * Texts of the added tokens that control a conversation: special tokens, tokens outside the model's own vocabulary
 * (such as Qwen's `<tool_call>`), markers of tool calls, and tokens that the chat template or the config names.
 */
export function controlTokens(sources: ControlSources): ReadonlySet<string> {
  const { tokenizerJson, tokenizerConfig = {}, chatTemplate = "" } = sources;
  const { added_tokens_decoder: _, ...config } = tokenizerConfig;
  const named = `${chatTemplate}\n${strings(config).join("\n")}`;
  const isControl = (token: AddedTokenJson): boolean =>
    token.special ||
    !Object.hasOwn(tokenizerJson.model.vocab, token.content) ||
    MARKERS.has(token.content) ||
    isTrimming(token) ||
    (/\S/u.test(token.content) && named.includes(token.content));
  return new Set(
    (tokenizerJson.added_tokens ?? []).filter(isControl).map(({ content }) => content),
  );
}

const MARKERS: ReadonlySet<string> = new Set(TOOL_CALL_MARKERS);

/** Such a token replaces the spaces beside it, as Phi-3's `</s>` does. */
function isTrimming({ lstrip, rstrip, single_word: isWord }: AddedTokenJson): boolean {
  return lstrip === true || rstrip === true || isWord === true;
}

/** All strings in a JSON value. */
function strings(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(strings) : [];
}
