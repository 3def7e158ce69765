/** One generation: reads unread tokens, then samples token by token and records each. */
import { sfc32 } from "@waggle/protocol";
import type { GenerateOptions, GrammarMatcher, Sample, SampleStopReason } from "@waggle/protocol";
import type { RowOutput, RowResult } from "../backend/decoder-backend.ts";
import type { SampledToken } from "../sampler.ts";
import type { ResidentAdapter } from "./decoder-device.ts";
import { Job, NO_OUTPUT } from "./job.ts";
import type { Sequence } from "./sequence.ts";

/** A grammar in use, with the id for records. */
export type ActiveGrammar = { readonly id: string; readonly matcher: GrammarMatcher };

export type GenerationLimits = {
  readonly contextLength: number;
  readonly vocabularySize: number;
};

/** `{ kind: "sample" }` with members that change with each token. */
type SampleOutput = {
  -readonly [K in keyof Extract<RowOutput, { kind: "sample" }>]: Extract<
    RowOutput,
    { kind: "sample" }
  >[K];
};

export class Generation extends Job {
  readonly #options: GenerateOptions;
  readonly #grammar: ActiveGrammar | null;
  readonly #stops: ReadonlySet<number>;
  readonly #random: () => number;
  readonly #keepsSets: boolean;
  readonly #output: SampleOutput;
  readonly #contextLength: number;
  /** Maximum tokens: the requested number, limited by the context. */
  readonly #budget: number;
  readonly #tokenIds: number[] = [];
  readonly #behaviorLogProbs: number[] = [];
  readonly #rawLogProbs: number[] = [];
  readonly #entropies: number[] = [];
  readonly #keptTokenIds: (readonly number[] | null)[] = [];
  readonly #done: PromiseWithResolvers<Sample> = Promise.withResolvers();
  /** Whether the next token's random number is drawn; it is reused if the run is repeated. */
  #isDrawn = false;
  #stopReason: SampleStopReason | null = null;
  #error: unknown = null;

  constructor(
    resident: ResidentAdapter,
    sequence: Sequence,
    options: GenerateOptions,
    grammar: ActiveGrammar | null,
    limits: GenerationLimits,
  ) {
    super(resident, sequence);
    const { sampling } = options;
    this.#options = options;
    this.#grammar = grammar;
    this.#stops = new Set(options.stopTokenIds);
    this.#random = sfc32(sampling.seed);
    this.#keepsSets =
      sampling.topP < 1 || (sampling.topK > 0 && sampling.topK < limits.vocabularySize);
    this.#output = { kind: "sample", distribution: sampling, uniform: 0, allowed: null };
    this.#contextLength = limits.contextLength;
    this.#budget = Math.min(
      options.maxTokens,
      Math.max(0, limits.contextLength - sequence.tokenIds.length),
    );
  }

  /** Resolves to the sample when the generation has ended. */
  get done(): Promise<Sample> {
    return this.#done.promise;
  }

  /** Ends it with an error before the next run. */
  cancel(error: unknown): void {
    this.#error = error;
    this.#stopReason = "aborted";
  }

  unread(): number {
    if (this.#stopReason === null) this.#stopReason = this.#limit();
    if (this.#stopReason !== null) return 0;
    return this.sequence.tokenIds.length - (this.sequence.cache?.length ?? 0);
  }

  take({ sampled }: RowResult): void {
    if (sampled === null || this.#stopReason !== null) return;
    const { tokenId } = sampled;
    this.#isDrawn = false;
    this.sequence.tokenIds.push(tokenId);
    this.#record(sampled);
    if (this.#stops.has(tokenId)) this.#stopReason = "stop-token";
    else this.#grammar?.matcher.accept(tokenId);
    this.#options.onToken?.(tokenId);
  }

  settle(): void {
    if (this.#error !== null) return this.fail(this.#error);
    this.#grammar?.matcher.dispose();
    this.#done.resolve(this.#sample());
  }

  fail(error: unknown): void {
    this.#grammar?.matcher.dispose();
    this.#done.reject(error);
  }

  protected outputFor(start: number, count: number): RowOutput {
    if (start + count < this.sequence.tokenIds.length) return NO_OUTPUT;
    const output = this.#output;
    if (!this.#isDrawn) {
      this.#isDrawn = true;
      output.uniform = this.#random();
      const remaining = this.#budget - this.#tokenIds.length;
      output.allowed = this.#grammar?.matcher.nextMask(remaining) ?? null;
    }
    return output;
  }

  #limit(): SampleStopReason | null {
    if (this.#options.signal?.aborted) return "aborted";
    if (this.#tokenIds.length >= this.#options.maxTokens) return "max-tokens";
    if (this.sequence.tokenIds.length >= this.#contextLength) return "context-overflow";
    return null;
  }

  #record(token: SampledToken): void {
    this.#tokenIds.push(token.tokenId);
    this.#behaviorLogProbs.push(token.behaviorLogProb);
    this.#rawLogProbs.push(token.rawLogProb);
    this.#entropies.push(token.entropy);
    if (this.#keepsSets) this.#keptTokenIds.push(token.keptTokenIds);
  }

  #sample(): Sample {
    return {
      tokenIds: this.#tokenIds,
      behaviorLogProbs: this.#behaviorLogProbs,
      rawLogProbs: this.#rawLogProbs,
      entropies: this.#entropies,
      stopReason: this.#stopReason ?? "aborted",
      ...(this.#keepsSets && { keptTokenIds: this.#keptTokenIds }),
      ...(this.#grammar && { grammar: this.#grammar.id, tokenBudget: this.#budget }),
      fingerprint: this.resident.fingerprint,
    };
  }
}
