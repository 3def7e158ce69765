/**
 * The tokenizer of a Hugging Face `tokenizer.json`. Supports byte-level BPE (Qwen, Llama 3, SmolLM, LFM2, ours) and
 * SentencePiece BPE with byte fallback (Gemma, Llama 2, Mistral), so that every text can be encoded and every token has
 * bytes.
 */
import { libraryEncoders } from "./library-encoders.ts";
import { tokenizerOver } from "./tokenizer.ts";
import type { Tokenizer } from "./tokenizer.ts";
import type { TokenizerFiles } from "./tokenizer-json.ts";
import { trainedEncoders } from "./trained-encoders.ts";

/**
 * Creates a tokenizer from the two Hugging Face files.
 *
 * @throws WaggleError `TOKENIZER_UNSUPPORTED` if it is not a BPE over bytes.
 */
export function createTokenizer(files: TokenizerFiles): Tokenizer {
  const { tokenizerJson } = files;
  return tokenizerOver(
    tokenizerJson,
    () => trainedEncoders(tokenizerJson) ?? libraryEncoders(files),
  );
}
