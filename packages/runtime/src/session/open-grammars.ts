/** Loads the grammar compiler on demand, so that pages without grammars do not load it. */
import type { GrammarCompiler } from "@waggle/protocol";
import type * as Grammar from "@waggle/text/grammar";

/** Loads the code of the compiler. */
export function loadGrammars(): Promise<typeof Grammar> {
  return import("@waggle/text/grammar");
}

/**
 * @param tokenizerFiles - files of the model's folder, by path.
 * @param vocabularySize - size of the model's logits, which may exceed the tokenizer's vocabulary.
 * @param stopTokenIds - default: those of the chat format, which loads the code of tokenizers and templates.
 */
export async function openGrammars(
  tokenizerFiles: ReadonlyMap<string, Uint8Array>,
  vocabularySize: number,
  stopTokenIds?: readonly number[],
): Promise<GrammarCompiler> {
  const { createGrammarCompiler } = await loadGrammars();
  return createGrammarCompiler(tokenizerFiles, {
    vocabularySize,
    ...(stopTokenIds === undefined ? {} : { stopTokenIds }),
  });
}
