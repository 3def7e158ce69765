/**
 * What a generation may say: grammars as data that cross processes, and the port that turns one into
 * masks over a vocabulary. Knows no tokenizer and no engine; `@waggle/text` implements the port.
 */
import { z } from "zod";
import type { JsonSchema } from "./tool.ts";

/** How a model family writes tool calls; the table is in `@waggle/text`. */
export type ToolCallFormat = "hermes" | "qwen-xml" | "llama" | "gemma" | "mistral" | "lfm";

/** Tool calls of one turn. */
export type ToolCallsGrammar = {
  readonly kind: "tool-calls";
  readonly format: ToolCallFormat;
  readonly tools: readonly { readonly name: string; readonly parameters: JsonSchema }[];
  /** `auto`: text until a call begins; `required`: at least one call; a name: that tool. */
  readonly choice: "auto" | "required" | { readonly name: string };
  /** Whether several calls may follow each other. */
  readonly parallel: boolean;
};

/** A constraint on sampled text. Equal specs, compared as canonical JSON, have equal ids. */
export type GrammarSpec =
  | { readonly kind: "json" }
  | { readonly kind: "json-schema"; readonly schema: JsonSchema }
  | { readonly kind: "regex"; readonly pattern: string }
  /** XGrammar's EBNF, start rule `root`. */
  | { readonly kind: "ebnf"; readonly grammar: string }
  | ToolCallsGrammar;

const schema = z.record(z.string(), z.unknown());

export const GrammarSpec: z.ZodType<GrammarSpec> = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("json") }),
  z.strictObject({ kind: z.literal("json-schema"), schema }),
  z.strictObject({ kind: z.literal("regex"), pattern: z.string().max(10_000) }),
  z.strictObject({ kind: z.literal("ebnf"), grammar: z.string().max(100_000) }),
  z.strictObject({
    kind: z.literal("tool-calls"),
    format: z.enum(["hermes", "qwen-xml", "llama", "gemma", "mistral", "lfm"]),
    tools: z
      .array(z.strictObject({ name: z.string().min(1).max(128), parameters: schema }))
      .min(1)
      .max(128),
    choice: z.union([
      z.enum(["auto", "required"]),
      z.strictObject({ name: z.string().min(1).max(128) }),
    ]),
    parallel: z.boolean(),
  }),
]);

/** The state of one generation under a grammar. */
export interface GrammarMatcher {
  /**
   * Ids that may come next as bits, id v at bit `v % 32` of word `v >> 5`; `null` where all may.
   * Valid until the next call. With few tokens left, only what still closes in time is allowed.
   *
   * @param remainingTokens - tokens that may still be sampled, this one included.
   */
  nextMask(remainingTokens: number): Uint32Array | null;
  /** @throws WaggleError `INVALID_ARGUMENT` for a token that the mask forbids. */
  accept(tokenId: number): void;
  /** True once nothing but a stop token may follow. */
  readonly isComplete: boolean;
  dispose(): void;
}

/** A grammar made ready for one vocabulary. */
export interface CompiledGrammar {
  /** Hex sha256 of the spec's canonical JSON: what records carry. */
  readonly id: string;
  createMatcher(): GrammarMatcher;
}

/** Compiles grammars for one tokenizer; loads what it needs on first use. */
export interface GrammarCompiler {
  /** @throws WaggleError `GRAMMAR_UNSUPPORTED` naming what the grammar holds that cannot be held. */
  compile(spec: GrammarSpec): Promise<CompiledGrammar>;
  dispose(): void;
}
