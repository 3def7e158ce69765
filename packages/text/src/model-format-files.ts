/** What a chat format is made of, from the files of a Hugging Face folder. */
import { isObject } from "@waggle/protocol";
import type { ChatFormatOptions } from "./chat-format.ts";
import type { Tokenizer } from "./tokenizer.ts";
import { jsonFile, readTokenizerJson } from "./tokenizer-files.ts";
import type { TokenizerConfigJson, TokenizerFiles } from "./tokenizer-json.ts";

/** Without this, Qwen3 would spend a turn's whole budget on thinking. */
const TEMPLATE_VARIABLES = { enable_thinking: false };

/** The files as JSON, and the options for a tokenizer of them. */
export type ModelFormatFiles = {
  readonly tokenizerFiles: TokenizerFiles;
  /** @throws WaggleError `MODEL_CORRUPT` for an unreadable file. */
  readonly optionsFor: (tokenizer: Tokenizer) => ChatFormatOptions;
};

/** @throws WaggleError `MODEL_CORRUPT` for a missing or unreadable file. */
export function readModelFormatFiles(files: ReadonlyMap<string, Uint8Array>): ModelFormatFiles {
  const tokenizerJson = readTokenizerJson(files);
  const tokenizerConfig = (jsonFile(files, "tokenizer_config.json") ?? {}) as TokenizerConfigJson;
  const template = files.get("chat_template.jinja");
  const chatTemplate = template && new TextDecoder().decode(template);
  return {
    tokenizerFiles: { tokenizerJson, tokenizerConfig, chatTemplate },
    optionsFor: (tokenizer) => ({
      tokenizer,
      tokenizerConfig,
      templateVariables: TEMPLATE_VARIABLES,
      stopTokens: endOfSequenceTokens(files, tokenizer),
      chatTemplate,
    }),
  };
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
