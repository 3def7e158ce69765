/**
 * Grammars that constrain generated text: specs as data that can cross processes, and the port that
 * turns a spec into masks over a vocabulary. `@waggle/text` implements the port; this file knows no
 * tokenizer and no engine.
 */
import { z } from "zod";
import { readOnly } from "./read-only-schema.ts";

const schema = z.record(z.string(), z.unknown());

const toolCallsGrammar = z.strictObject({
  kind: z.literal("tool-calls"),
  format: z.enum(["hermes", "qwen-xml", "llama", "gemma", "mistral", "lfm"]),
  tools: z
    .array(z.strictObject({ name: z.string().min(1).max(128), parameters: schema }))
    .min(1)
    .max(128),
  /** `auto`: free text until a call begins. `required`: at least one call. A name: that tool only. */
  choice: z.union([
    z.enum(["auto", "required"]),
    z.strictObject({ name: z.string().min(1).max(128) }),
  ]),
  /** Whether a turn may contain several calls. */
  parallel: z.boolean(),
  /** With `auto`: a turn without calls is JSON of this schema instead of free text. */
  answer: schema.optional(),
});

/** A constraint on sampled text. Equal specs, compared as canonical JSON, have equal ids. */
export type GrammarSpec = z.infer<typeof GrammarSpec>;
export const GrammarSpec = readOnly(
  z.discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("json") }),
    z.strictObject({ kind: z.literal("json-schema"), schema }),
    z.strictObject({ kind: z.literal("regex"), pattern: z.string().max(10_000) }),
    /** EBNF in XGrammar's dialect; the start rule is `root`. */
    z.strictObject({ kind: z.literal("ebnf"), grammar: z.string().max(100_000) }),
    toolCallsGrammar,
  ]),
);

/** Allows the tool calls of one turn. */
export type ToolCallsGrammar = Extract<GrammarSpec, { readonly kind: "tool-calls" }>;

/** How a model family writes tool calls. `@waggle/text` describes each format. */
export type ToolCallFormat = ToolCallsGrammar["format"];

/** The state of one generation under a grammar. */
export interface GrammarMatcher {
  /**
   * Ids that may come next as a bit mask, id v at bit `v % 32` of word `v >> 5`; `null` if all may.
   * Valid until the next call. When few tokens remain, only tokens after which the text can still
   * be completed in time are allowed.
   *
   * @param remainingTokens - tokens that may still be sampled, including this one.
   */
  nextMask(remainingTokens: number): Uint32Array | null;
  /** @throws WaggleError `INVALID_ARGUMENT` if the mask forbids the token. */
  accept(tokenId: number): void;
  /** True once only a stop token may follow. */
  readonly isComplete: boolean;
  dispose(): void;
}

/** A grammar compiled for one vocabulary. */
export interface CompiledGrammar {
  /** Hex SHA-256 of the spec's canonical JSON. Records refer to the grammar by this id. */
  readonly id: string;
  createMatcher(): GrammarMatcher;
}

/** Compiles grammars for one tokenizer. Loads its dependencies on first use. */
export interface GrammarCompiler {
  /** @throws WaggleError `GRAMMAR_UNSUPPORTED`, naming the unsupported feature of the spec. */
  compile(spec: GrammarSpec): Promise<CompiledGrammar>;
  dispose(): void;
}
