/**
 * The Policy port: what maps a context of tokens to a distribution over the next one. Tokens in,
 * tokens out: a policy knows no text, no chat template and no tool.
 */
import { z } from "zod";
import type { GrammarSpec } from "./grammar.ts";

/** 0 is the base model without an adapter; published adapters count up from 1. */
export const PolicyVersionId: z.ZodInt = z.int().min(0);
export type PolicyVersionId = number;

/** How a span of tokens was sampled: enough to rebuild the distribution from the logits. */
export type Sampling = {
  /** Softmax temperature, > 0. Training rollouts use 1. */
  readonly temperature: number;
  /** Keep the k most likely tokens; 0 keeps all. */
  readonly topK: number;
  /** Keep the smallest set whose probability reaches p, in (0, 1]; 1 keeps all. Applied after top-k. */
  readonly topP: number;
  /** Seed of the generator of this span, an unsigned 32-bit integer. */
  readonly seed: number;
};

export const Sampling: z.ZodType<Sampling> = z.strictObject({
  temperature: z.number().positive().max(10),
  topK: z.int().min(0).max(1_000_000),
  topP: z.number().positive().max(1),
  seed: z.int().min(0).max(0xffff_ffff),
});

/** Temperature 1, full support. */
export const FULL_SUPPORT: Omit<Sampling, "seed"> = { temperature: 1, topK: 0, topP: 1 };

export type SampleStopReason = "stop-token" | "max-tokens" | "context-overflow" | "aborted";

/** Numbers of scored tokens; every array is `[T]`, log-probs and entropies in nats. */
export type TokenScores = {
  /** log π of the token under the distribution actually sampled (temperature, kept set). */
  readonly behaviorLogProbs: readonly number[];
  /** log π of the token at temperature 1 over the full vocabulary. */
  readonly rawLogProbs: readonly number[];
  /** Entropy of the distribution actually sampled. */
  readonly entropies: readonly number[];
};

/** Tokens `[start, end)` that one version sampled. */
export type VersionSpan = {
  readonly version: PolicyVersionId;
  readonly start: number;
  readonly end: number;
};

/** One generation. A stop token that was sampled is the last of `tokenIds`. */
export type Sample = TokenScores & {
  readonly tokenIds: readonly number[];
  readonly stopReason: SampleStopReason;
  /**
   * Per token the ids that could be sampled, `null` where all could. Absent when sampling had full
   * support. The trainer renormalizes over it.
   */
  readonly keptTokenIds?: readonly (readonly number[] | null)[] | undefined;
  /** Id of the grammar that masked it, which with the tokens before gives every mask again. */
  readonly grammar?: string | null;
  /** Most tokens it could have had, which the masks of its grammar depend on. Set with `grammar`. */
  readonly tokenBudget?: number | undefined;
  /**
   * What computed it: build, back end, kernels, number format and adapter. Log-probs of spans with
   * equal fingerprints are comparable to rounding. Absent where a policy does not know.
   */
  readonly fingerprint?: string | undefined;
  /**
   * Where another version went on in the middle: who sampled what, whole and in order, each with its own
   * behavior log-probs; the seed is that of the first. Absent = the context's version sampled all.
   */
  readonly versions?: readonly VersionSpan[] | undefined;
};

export type GenerateOptions = {
  readonly sampling: Sampling;
  readonly stopTokenIds: readonly number[];
  /** Most tokens to sample, ≥ 1. */
  readonly maxTokens: number;
  /** What may be said; absent = anything. */
  readonly grammar?: GrammarSpec;
  readonly signal?: AbortSignal;
  /** Called after each token, in order. */
  readonly onToken?: (tokenId: number) => void;
};

/** One growing context. Single-user: calls must not overlap. */
export interface PolicyContext {
  /** The version every sampled token of this context comes from, until `adoptCurrentVersion`. */
  readonly policyVersion: PolicyVersionId;
  readonly tokenIds: readonly number[];
  /** Adds given tokens; they are prefilled by the next `generate`. */
  append(tokenIds: readonly number[]): void;
  /** Samples and appends what was sampled. An abort is a stop reason, not an error. */
  generate(options: GenerateOptions): Promise<Sample>;
  /**
   * Moves this context to the policy's current version: cached keys and values are dropped and
   * prefilled again from the tokens, since a cache that mixes versions cannot be re-scored.
   */
  adoptCurrentVersion(): void;
  /** Frees the cache; later calls throw `DISPOSED`. */
  dispose(): void;
}

/** Where a grammar masked the tokens of a sequence: all that gives every mask again. */
export type GrammarSpan = {
  readonly spec: GrammarSpec;
  /** Index of the first token sampled under it. */
  readonly start: number;
  /** Index after the last. */
  readonly end: number;
  /** `tokenBudget` of the sample. */
  readonly tokenBudget: number;
};

export type ScoreRequest = {
  readonly tokenIds: readonly number[];
  readonly sampling: Omit<Sampling, "seed">;
  /** As recorded with the sample; absent = full support unless top-k or top-p say otherwise. */
  readonly keptTokenIds?: readonly (readonly number[] | null)[];
  /**
   * Spans whose kept sets a grammar gives. Within one, recorded kept sets, where there are any, hold
   * the grammar already; with top-k or top-p they must be there.
   */
  readonly grammars?: readonly GrammarSpan[];
};

export interface Policy {
  /** Content hash of the base model (hex sha256 of its file list). */
  readonly baseModel: string;
  /** Most tokens of one context. */
  readonly contextLength: number;
  readonly vocabularySize: number;
  /** The version a new context gets. */
  readonly currentVersion: PolicyVersionId;
  createContext(): Promise<PolicyContext>;
  /**
   * Teacher-forced numbers under the current version, `[T]` aligned with `tokenIds`; index 0 has no
   * prediction and holds 0.
   */
  score(request: ScoreRequest): Promise<TokenScores>;
  dispose(): Promise<void>;
}
