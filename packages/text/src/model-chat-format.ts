/**
 * The chat format of a Hugging Face folder. The one reader for page and trainer: a stop token or a
 * template that only one of them knew would make the trainer refuse honest trajectories.
 */
import { WaggleError } from "@waggle/protocol";
import { createChatFormat } from "./chat-format.ts";
import type { ChatFormat } from "./chat-format.ts";
import { createTokenizer } from "./tokenizer.ts";
import type { Tokenizer } from "./tokenizer.ts";
import type { TokenizerConfigJson, TokenizerJson } from "./tokenizer-json.ts";

/** Qwen3 would spend a turn's whole budget on thoughts. */
const TEMPLATE_VARIABLES = { enable_thinking: false };

/**
 * Tokenizer, template and stop tokens of a model's files by path: `tokenizer.json`,
 * `tokenizer_config.json`, `chat_template.jinja` (taken before the one in the config) and the
 * end-of-sequence ids of `generation_config.json`, else of `config.json`.
 *
 * @throws WaggleError `MODEL_CORRUPT` for a missing or unreadable file, and as `createTokenizer` and
 *   `createChatFormat`.
 */
export function readChatFormat(files: ReadonlyMap<string, Uint8Array>): ChatFormat {
  const tokenizerJson = readTokenizerJson(files);
  const tokenizerConfig = (jsonFile(files, "tokenizer_config.json") ?? {}) as TokenizerConfigJson;
  const tokenizer = createTokenizer({ tokenizerJson, tokenizerConfig });
  const template = files.get("chat_template.jinja");
  return createChatFormat({
    tokenizer,
    tokenizerConfig,
    templateVariables: TEMPLATE_VARIABLES,
    stopTokens: endOfSequenceTokens(files, tokenizer),
    ...(template === undefined ? {} : { chatTemplate: new TextDecoder().decode(template) }),
  });
}

/** @throws WaggleError `MODEL_CORRUPT` where the file is missing or no JSON. */
export function readTokenizerJson(files: ReadonlyMap<string, Uint8Array>): TokenizerJson {
  const json = jsonFile(files, "tokenizer.json");
  if (json !== undefined) return json as TokenizerJson;
  throw new WaggleError(
    "MODEL_CORRUPT",
    `a model must hold tokenizer.json, got ${[...files.keys()].join(", ") || "nothing"}; add the file`,
  );
}

/** One id or a list of them, as text. */
function endOfSequenceTokens(
  files: ReadonlyMap<string, Uint8Array>,
  tokenizer: Tokenizer,
): string[] {
  for (const path of ["generation_config.json", "config.json"]) {
    const json = jsonFile(files, path);
    if (typeof json !== "object" || json === null || !("eos_token_id" in json)) continue;
    const ids: readonly unknown[] = Array.isArray(json.eos_token_id)
      ? json.eos_token_id
      : [json.eos_token_id];
    return ids
      .filter((id): id is number => typeof id === "number")
      .map((id) => tokenizer.decode([id]));
  }
  return [];
}

function jsonFile(files: ReadonlyMap<string, Uint8Array>, path: string): unknown {
  const bytes = files.get(path);
  if (bytes === undefined) return undefined;
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as unknown;
  } catch (cause) {
    throw new WaggleError(
      "MODEL_CORRUPT",
      `${path} must be JSON, got ${bytes.length} bytes that are not; fetch the file again`,
      { cause },
    );
  }
}
