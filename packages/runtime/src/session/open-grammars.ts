/** Loads what compiles grammars, which pages without any do not pay for. */
import type { GrammarCompiler } from "@waggle/protocol";

/**
 * @param tokenizerFiles - of the model's folder, by path.
 * @param vocabularySize - ids of the model's logits, which may be more than the tokenizer has.
 */
export async function openGrammars(
  tokenizerFiles: ReadonlyMap<string, Uint8Array>,
  vocabularySize: number,
): Promise<GrammarCompiler> {
  const { createGrammarCompiler } = await import("@waggle/text/grammar");
  return createGrammarCompiler(tokenizerFiles, { vocabularySize });
}
