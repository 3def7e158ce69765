/**
 * A Policy that says what a script says. Its log-probs come from a fixed formula, the same in
 * `generate` and `score`, so that tests of records and re-scoring hold; they mean nothing else.
 */
import { WaggleError } from "@waggle/protocol";
import type {
  Policy,
  PolicyContext,
  PolicyVersionId,
  Sample,
  GenerateOptions,
  SampleStopReason,
  ScoreRequest,
  TokenScores,
} from "@waggle/protocol";

/** What to sample: ids with their stop token, or a function of the context so far. */
export type ScriptedTurn =
  | readonly number[]
  | ((contextTokenIds: readonly number[]) => readonly number[]);

export type ScriptedPolicyOptions = {
  /** Used up in order over all contexts; a sample past the last throws `INVALID_ARGUMENT`. */
  readonly turns: readonly ScriptedTurn[];
  /** Default 100 000. */
  readonly contextLength?: number;
  /** Default 1024. */
  readonly vocabularySize?: number;
  /** Default 64 zeros. */
  readonly baseModel?: string;
  /** Default 0. */
  readonly version?: PolicyVersionId;
  /** Awaited before each token with its index in the turn: a place to abort or to hang. */
  readonly beforeToken?: (index: number) => Promise<void> | void;
};

/** What happened to one context. */
export type RecordedContext = {
  readonly tokenIds: readonly number[];
  /** Options of each `generate`, in order. */
  readonly samples: readonly GenerateOptions[];
  /** How often the context moved to a current version. */
  readonly adoptions: number;
  readonly disposed: boolean;
};

export class ScriptedPolicy implements Policy {
  readonly baseModel: string;
  readonly contextLength: number;
  readonly vocabularySize: number;
  /** Set it to publish another version; contexts stay at theirs. */
  currentVersion: PolicyVersionId;
  readonly #turns: ScriptedTurn[];
  readonly #beforeToken: (index: number) => Promise<void> | void;
  readonly #contexts: ScriptedContext[] = [];

  constructor(options: ScriptedPolicyOptions) {
    this.baseModel = options.baseModel ?? "0".repeat(64);
    this.contextLength = options.contextLength ?? 100_000;
    this.vocabularySize = options.vocabularySize ?? 1024;
    this.currentVersion = options.version ?? 0;
    this.#turns = [...options.turns];
    this.#beforeToken = options.beforeToken ?? (() => undefined);
  }

  /** Every context that was created, in order. */
  get contexts(): readonly RecordedContext[] {
    return this.#contexts;
  }

  createContext(): Promise<PolicyContext> {
    const context = new ScriptedContext(this, {
      nextTurn: () => this.#turns.shift(),
      beforeToken: this.#beforeToken,
    });
    this.#contexts.push(context);
    return Promise.resolve(context);
  }

  score({ tokenIds, sampling, keptTokenIds }: ScoreRequest): Promise<TokenScores> {
    const isFull = sampling.topK === 0 && sampling.topP === 1;
    const raw = tokenIds.map((id, at) => (at === 0 ? 0 : logProb(id, at, this.currentVersion)));
    const isKept = (at: number): boolean => !isFull && (keptTokenIds?.[at] ?? null) !== null;
    return Promise.resolve({
      rawLogProbs: raw,
      behaviorLogProbs: raw.map((value, at) => (isKept(at) ? 0 : value)),
      entropies: raw.map((value, at) => (isKept(at) ? 0 : entropy(value))),
    });
  }

  dispose(): Promise<void> {
    for (const context of this.#contexts) context.dispose();
    return Promise.resolve();
  }
}

type Script = {
  readonly nextTurn: () => ScriptedTurn | undefined;
  readonly beforeToken: (index: number) => Promise<void> | void;
};

class ScriptedContext implements PolicyContext, RecordedContext {
  policyVersion: PolicyVersionId;
  adoptions = 0;
  disposed = false;
  readonly tokenIds: number[] = [];
  readonly samples: GenerateOptions[] = [];
  readonly #policy: ScriptedPolicy;
  readonly #script: Script;
  #busy = false;

  constructor(policy: ScriptedPolicy, script: Script) {
    this.#policy = policy;
    this.#script = script;
    this.policyVersion = policy.currentVersion;
  }

  append(tokenIds: readonly number[]): void {
    this.#requireFree();
    this.tokenIds.push(...tokenIds);
  }

  async generate(options: GenerateOptions): Promise<Sample> {
    this.#requireFree();
    this.#busy = true;
    try {
      return await this.#sample(options);
    } finally {
      this.#busy = false;
    }
  }

  adoptCurrentVersion(): void {
    this.#requireFree();
    this.policyVersion = this.#policy.currentVersion;
    this.adoptions++;
  }

  dispose(): void {
    this.disposed = true;
  }

  async #sample(options: GenerateOptions): Promise<Sample> {
    this.samples.push(options);
    const turn = this.#script.nextTurn();
    if (turn === undefined) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `a script must have a turn for every sample, got none for sample ${this.samples.length}; add a turn`,
      );
    }
    const script = typeof turn === "function" ? turn(this.tokenIds) : turn;
    const start = this.tokenIds.length;
    let stopReason: SampleStopReason = "max-tokens";
    for (const [index, tokenId] of script.entries()) {
      await this.#script.beforeToken(index);
      if (options.signal?.aborted) stopReason = "aborted";
      else if (this.tokenIds.length >= this.#policy.contextLength) stopReason = "context-overflow";
      else if (index >= options.maxTokens) stopReason = "max-tokens";
      else {
        this.tokenIds.push(tokenId);
        options.onToken?.(tokenId);
        if (!options.stopTokenIds.includes(tokenId)) continue;
        stopReason = "stop-token";
      }
      break;
    }
    return this.#record(start, options, stopReason);
  }

  #record(start: number, options: GenerateOptions, stopReason: SampleStopReason): Sample {
    const tokenIds = this.tokenIds.slice(start);
    const isFull = options.sampling.topK === 0 && options.sampling.topP === 1;
    const rawLogProbs = tokenIds.map((id, index) => logProb(id, start + index, this.policyVersion));
    return {
      tokenIds,
      stopReason,
      rawLogProbs,
      behaviorLogProbs: rawLogProbs.map((value) => (isFull ? value : 0)),
      entropies: rawLogProbs.map((value) => (isFull ? entropy(value) : 0)),
      ...(isFull ? {} : { keptTokenIds: tokenIds.map((id) => [id]) }),
    };
  }

  #requireFree(): void {
    if (this.disposed) {
      throw new WaggleError("DISPOSED", "a context must be live, got one that was disposed");
    }
    if (this.#busy) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        "calls on a context must not overlap, got one during sample; await it first",
      );
    }
  }
}

/** In [−2, −0.01]: some number of token, position and version that a wrong index would change. */
function logProb(tokenId: number, position: number, version: PolicyVersionId): number {
  return -0.01 - ((tokenId * 31 + position * 17 + version * 7) % 200) / 100.5;
}

/** Entropy of a coin that shows the token with its probability; in nats. */
function entropy(logProbability: number): number {
  const p = Math.exp(logProbability);
  return -p * logProbability - (1 - p) * Math.log(1 - p);
}
