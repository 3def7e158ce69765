/** The grammars of a base model's tokenizer. */
import type { GrammarCompiler } from "@waggle/protocol";
import { createGrammarCompiler } from "@waggle/text/grammar";
import type { BaseModel } from "./base-model.ts";

/** Compiles grammars for the tokenizer of `model`. */
export function grammarsOf({ files }: BaseModel, vocabularySize: number): GrammarCompiler {
  return createGrammarCompiler(new Map(files.map(({ path, bytes }) => [path, bytes])), {
    vocabularySize,
  });
}
