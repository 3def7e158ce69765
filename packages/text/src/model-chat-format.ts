/**
 * Reads the chat format of a Hugging Face folder. Pages and the trainer both use it: if they disagreed about a stop
 * token or template, the trainer would refuse valid trajectories.
 */
import type { ChatFormat } from "./chat-format.ts";
import { createChatFormat } from "./create-chat-format.ts";
import { createTokenizer } from "./create-tokenizer.ts";
import { readModelFormatFiles } from "./model-format-files.ts";

/**
 * Reads tokenizer, template and stop tokens from a model's files by path: `tokenizer.json`,
 * `tokenizer_config.json`, `chat_template.jinja` (which takes precedence over the config's template) and the
 * end-of-sequence ids of `generation_config.json` or else `config.json`.
 *
 * @throws WaggleError `MODEL_CORRUPT` for a missing or unreadable file, and as `createTokenizer` and
 *   `createChatFormat`.
 */
export function readChatFormat(files: ReadonlyMap<string, Uint8Array>): ChatFormat {
  const { tokenizerFiles, optionsFor } = readModelFormatFiles(files);
  return createChatFormat(optionsFor(createTokenizer(tokenizerFiles)));
}
