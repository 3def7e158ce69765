/**
 * Constrained decoding: turns grammar specs into masks over a model's vocabulary. A separate entry, so that a page
 * loads it only when it uses a grammar: `await import("@waggle/text/grammar")`.
 */
export { createGrammarCompiler, grammarId } from "./compiler.ts";
export type { GrammarCompilerOptions } from "./compiler.ts";
