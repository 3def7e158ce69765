/** Texts of tokens, from the tokenizer of the base model that the edge serves. */
import type { Segment } from "@waggle/protocol";
import { createTokenizer, type Tokenizer, type TokenizerJson } from "@waggle/text";
import type { OperatorApi } from "./operator-api.ts";

/**
 * The base model's tokenizer; `null` if this edge does not serve it or its kind is unknown. Token ids are
 * shown then.
 */
export async function loadTokenizer(
  api: Pick<OperatorApi, "manifest" | "object">,
  baseModel: string,
): Promise<Tokenizer | null> {
  try {
    const manifest = await api.manifest();
    const file = manifest.baseModel.files.find(({ path }) => path === "tokenizer.json");
    if (manifest.baseModel.sha256 !== baseModel || !file) return null;
    return createTokenizer({ tokenizerJson: (await api.object(file.sha256)) as TokenizerJson });
  } catch {
    return null;
  }
}

/**
 * The text that each token of a segment completes; `#id` without a tokenizer. Tokens inside a multi-byte
 * character have no text; the character belongs to its last token.
 */
export function tokenTexts(segment: Segment, tokenizer: Tokenizer | null): string[] {
  if (tokenizer === null) return segment.tokenIds.map((id) => `#${id} `);
  const decoder = tokenizer.createStreamDecoder();
  const texts = segment.tokenIds.map((id) => decoder.push(id));
  const rest = decoder.end();
  if (rest !== "" && texts.length > 0) texts[texts.length - 1] += rest;
  return texts;
}
