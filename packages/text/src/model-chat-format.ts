/**
 * Reads the chat format of a Hugging Face folder. Pages and the trainer both use it: if they disagreed about a stop
 * token or template, the trainer would refuse valid trajectories.
 */
import { isObject } from "@waggle/protocol";
import { createChatFormat } from "./chat-format.ts";
import type { ChatFormat } from "./chat-format.ts";
import { createTokenizer } from "./tokenizer.ts";
import type { Tokenizer } from "./tokenizer.ts";
import type { TokenizerConfigJson } from "./tokenizer-json.ts";
import { jsonFile, readTokenizerJson } from "./tokenizer-files.ts";

/** Without this, Qwen3 would spend a turn's whole budget on thinking. */
const TEMPLATE_VARIABLES = { enable_thinking: false };

/**
 * Reads tokenizer, template and stop tokens from a model's files by path: `tokenizer.json`,
 * `tokenizer_config.json`, `chat_template.jinja` (which takes precedence over the config's template) and the
 * end-of-sequence ids of `generation_config.json` or else `config.json`.
 *
 * @throws WaggleError `MODEL_CORRUPT` for a missing or unreadable file, and as `createTokenizer` and
 *   `createChatFormat`.
 */
export function readChatFormat(files: ReadonlyMap<string, Uint8Array>): ChatFormat {
  const tokenizerJson = readTokenizerJson(files);
  const tokenizerConfig = (jsonFile(files, "tokenizer_config.json") ?? {}) as TokenizerConfigJson;
  const template = files.get("chat_template.jinja");
  const chatTemplate = template && new TextDecoder().decode(template);
  const tokenizer = createTokenizer({ tokenizerJson, tokenizerConfig, chatTemplate });
  return createChatFormat({
    tokenizer,
    tokenizerConfig,
    templateVariables: TEMPLATE_VARIABLES,
    stopTokens: endOfSequenceTokens(files, tokenizer),
    chatTemplate,
  });
}

/** The text of the end-of-sequence ids, which are a number or a list. */
function endOfSequenceTokens(
  files: ReadonlyMap<string, Uint8Array>,
  tokenizer: Tokenizer,
): string[] {
  for (const path of ["generation_config.json", "config.json"]) {
    const json = jsonFile(files, path);
    if (!isObject(json) || !("eos_token_id" in json)) continue;
    const ids: readonly unknown[] = Array.isArray(json.eos_token_id)
      ? json.eos_token_id
      : [json.eos_token_id];
    return ids
      .filter((id): id is number => typeof id === "number")
      .map((id) => tokenizer.decode([id]));
  }
  return [];
}
