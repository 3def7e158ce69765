/**
 * Constrained decoding: grammars as data become masks over a model's vocabulary. An entry of its
 * own, so that a page loads it with the first grammar it uses: `await import("@waggle/text/grammar")`.
 */
export { createGrammarCompiler, grammarId } from "./compiler.ts";
export type { GrammarCompilerOptions } from "./compiler.ts";
