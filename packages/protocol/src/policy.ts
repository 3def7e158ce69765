/**
 * The Policy port: maps a context of tokens to a distribution over the next token. It takes and
 * returns token ids only; text, chat templates and tools are outside of it.
 */
import { z } from "zod";
import { readOnly } from "./read-only-schema.ts";
import type { GrammarSpec } from "./grammar.ts";

/** 0 is the base model without an adapter; published adapters count up from 1. */
export const PolicyVersionId = z.int().min(0);
export type PolicyVersionId = z.infer<typeof PolicyVersionId>;

/** How a span of tokens was sampled. Together with the logits this determines the distribution. */
export type Sampling = z.infer<typeof Sampling>;
export const Sampling = readOnly(
  z.strictObject({
    /** Softmax temperature, > 0. Training rollouts use 1. */
    temperature: z.number().positive().max(10),
    /** Keep only the k most likely tokens; 0 keeps all. */
    topK: z.int().min(0).max(1_000_000),
    /** Keep the smallest set whose probability reaches p, in (0, 1]; 1 keeps all. Applied after top-k. */
    topP: z.number().positive().max(1),
    /** Seed of this span's random generator, an unsigned 32-bit integer. */
    seed: z.int().min(0).max(0xffff_ffff),
  }),
);

/** Why a generation ended. */
export type SampleStopReason = "stop-token" | "max-tokens" | "context-overflow" | "aborted";

/** `[low, high)`: the numbers in [0, 1) that select a token when it is drawn. Empty if it cannot be drawn. */
export type DrawInterval = readonly [low: number, high: number];

/** Per-token values of scored tokens. Every array is `[T]`; log-probs and entropies are in nats. */
export type TokenScores = {
  /** log π of the token under the distribution actually sampled (after temperature, top-k, top-p and grammar). */
  readonly behaviorLogProbs: readonly number[];
  /** log π of the token at temperature 1 over the full vocabulary. */
  readonly rawLogProbs: readonly number[];
  /** Entropy of the distribution actually sampled. */
  readonly entropies: readonly number[];
  /** Only from `score`, if the request asks for it and the backend computes it; `null` without a prediction. */
  readonly drawIntervals?: readonly (DrawInterval | null)[];
};

/** Tokens `[start, end)`, all sampled by one version. */
export type VersionSpan = {
  readonly version: PolicyVersionId;
  readonly start: number;
  readonly end: number;
};

/** One generation. If it ended with a stop token, that token is the last of `tokenIds`. */
export type Sample = TokenScores & {
  readonly tokenIds: readonly number[];
  readonly stopReason: SampleStopReason;
  /**
   * For each token, the ids that could be sampled; `null` where all could. Absent when sampling had
   * full support. The trainer renormalizes over these ids.
   */
  readonly keptTokenIds?: readonly (readonly number[] | null)[] | undefined;
  /** Id of the grammar that masked the logits. The masks can be recomputed from it and the tokens. */
  readonly grammar?: string | null;
  /** Maximum number of tokens allowed; the grammar's masks depend on it. Set together with `grammar`. */
  readonly tokenBudget?: number | undefined;
  /**
   * Build, back end, kernels, number format and adapter that computed this sample. Log-probs of spans
   * with equal fingerprints agree up to rounding. Absent if the policy does not report it.
   */
  readonly fingerprint?: string | undefined;
  /**
   * Set when another version took over during the generation: every span in order, each with its own
   * version's log-probs. The recorded seed is that of the first span. Absent: one version sampled all.
   */
  readonly versions?: readonly VersionSpan[] | undefined;
};

/** Options of one generation. */
export type GenerateOptions = {
  readonly sampling: Sampling;
  readonly stopTokenIds: readonly number[];
  /** Maximum number of tokens to sample, at least 1. */
  readonly maxTokens: number;
  /** Constrains the text; absent = no constraint. */
  readonly grammar?: GrammarSpec;
  readonly signal?: AbortSignal;
  /** Called after each token, in order. */
  readonly onToken?: (tokenId: number) => void;
};

/** One growing context. Calls must not overlap. */
export interface PolicyContext {
  /** The version that samples every token of this context, until `adoptCurrentVersion`. */
  readonly policyVersion: PolicyVersionId;
  readonly tokenIds: readonly number[];
  /** Appends given tokens. The next `generate` prefills them. */
  append(tokenIds: readonly number[]): void;
  /** Samples tokens and appends them. An abort is a stop reason, not an error. */
  generate(options: GenerateOptions): Promise<Sample>;
  /**
   * Moves this context to the policy's current version. Cached keys and values are dropped and
   * prefilled again, because tokens sampled over a cache of mixed versions cannot be re-scored.
   */
  adoptCurrentVersion(): void;
  /** Frees the cache. Later calls throw `DISPOSED`. */
  dispose(): void;
}

/** A part of a sequence that was sampled under a grammar: everything needed to recompute its masks. */
export type GrammarSpan = {
  readonly spec: GrammarSpec;
  /** Index of the first token. */
  readonly start: number;
  /** Index after the last token. */
  readonly end: number;
  /** `tokenBudget` of the sample. */
  readonly tokenBudget: number;
};

/** Tokens to score, with the sampling settings to score them under. */
export type ScoreRequest = {
  readonly tokenIds: readonly number[];
  readonly sampling: Omit<Sampling, "seed">;
  /** As recorded with the sample. Absent = full support, unless top-k or top-p says otherwise. */
  readonly keptTokenIds?: readonly (readonly number[] | null)[];
  /**
   * Spans whose kept sets follow from a grammar. Recorded kept sets within such a span already include
   * the grammar; they are required if top-k or top-p was used as well.
   */
  readonly grammars?: readonly GrammarSpan[];
  /**
   * Asks for `drawIntervals`. `[T]` ids that a grammar allowed before top-k and top-p, `null` for all. Top-k and top-p
   * are applied again here, so that a recorded kept set is not believed.
   */
  readonly drawnAmong?: readonly (readonly number[] | null)[];
};

/** A model with an adapter that can generate and score tokens. */
export interface Policy {
  /** Content hash of the base model (hex sha256 of its file list). */
  readonly baseModel: string;
  /** Maximum number of tokens in one context. */
  readonly contextLength: number;
  readonly vocabularySize: number;
  /** The version that a new context uses. */
  readonly currentVersion: PolicyVersionId;
  createContext(): Promise<PolicyContext>;
  /**
   * Teacher-forced values under the current version, `[T]` aligned with `tokenIds`. Index 0 has no
   * prediction and is 0.
   */
  score(request: ScoreRequest): Promise<TokenScores>;
  dispose(): Promise<void>;
}
