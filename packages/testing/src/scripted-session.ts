/** A session that says what a script says; made by `ScriptedPolicy`. */
import { canonicalJson, sha256, WaggleError } from "@waggle/protocol";
import type {
  GenerateOptions,
  PolicyContext,
  PolicyVersionId,
  Sample,
  SampleStopReason,
  ScoreRequest,
  TokenScores,
} from "@waggle/protocol";

/** What to sample: ids with their stop token, or a function of the context so far. */
export type ScriptedTurn =
  | readonly number[]
  | ((contextTokenIds: readonly number[]) => readonly number[]);

/** What happened to one context. */
export type RecordedContext = {
  readonly tokenIds: readonly number[];
  /** Options of each `generate`, in order. */
  readonly samples: readonly GenerateOptions[];
  /** How often the context moved to a current version. */
  readonly adoptions: number;
  readonly disposed: boolean;
};

/** As a session's snapshot. */
export type ScriptedSnapshot = {
  readonly baseModel: string;
  readonly policyVersion: PolicyVersionId;
  readonly adapterId: string | null;
  readonly adapterScale: number;
  readonly tokenIds: readonly number[];
};

/** What a session needs of its policy. */
export type Script = {
  readonly policy: {
    readonly baseModel: string;
    readonly contextLength: number;
    readonly currentVersion: PolicyVersionId;
  };
  readonly nextTurn: () => ScriptedTurn | undefined;
  readonly beforeToken: (index: number) => Promise<void> | void;
  readonly score: (request: ScoreRequest, version: PolicyVersionId) => TokenScores;
  readonly isResident: (adapterId: string) => boolean;
  /** Says that so many given tokens were read. */
  readonly onRead: (count: number) => void;
  /** Records a session that was branched off. */
  readonly onBranch: (session: ScriptedSession) => void;
};

/** What a real session keeps of the tokens it read; forks take it with them. */
type Read = { count: number; knowsNext: boolean };

export class ScriptedSession implements PolicyContext, RecordedContext {
  policyVersion: PolicyVersionId;
  adoptions = 0;
  disposed = false;
  readonly tokenIds: number[] = [];
  readonly samples: GenerateOptions[] = [];
  readonly #script: Script;
  #adapter: { readonly id: string | null; readonly scale: number } = { id: null, scale: 1 };
  #read: Read = { count: 0, knowsNext: false };
  #busy = false;

  constructor(script: Script, version: PolicyVersionId) {
    this.#script = script;
    this.policyVersion = version;
  }

  append(tokenIds: readonly number[]): void {
    this.#requireFree();
    this.tokenIds.push(...tokenIds);
    if (tokenIds.length > 0) this.#read.knowsNext = false;
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
    this.policyVersion = this.#script.policy.currentVersion;
    this.adoptions++;
    this.#read = { count: 0, knowsNext: false };
  }

  /** Another session with the first `at` tokens; also while this one generates. */
  fork(
    options: { readonly at?: number; readonly signal?: AbortSignal } = {},
  ): Promise<ScriptedSession> {
    const { at = this.tokenIds.length, signal } = options;
    return Promise.resolve().then(() => {
      signal?.throwIfAborted();
      if (this.disposed) throw disposedError();
      if (!Number.isInteger(at) || at < 0 || at > this.tokenIds.length) {
        throw new WaggleError(
          "INVALID_ARGUMENT",
          `cannot fork at token ${at} of a context with ${this.tokenIds.length} tokens`,
        );
      }
      const session = new ScriptedSession(this.#script, this.policyVersion);
      session.tokenIds.push(...this.tokenIds.slice(0, at));
      session.#adapter = this.#adapter;
      session.#read = {
        count: Math.min(this.#read.count, at),
        knowsNext: this.#read.knowsNext && at === this.tokenIds.length,
      };
      this.#script.onBranch(session);
      return session;
    });
  }

  /** n sessions that continue this one; its tokens are read once. */
  async group(
    n: number,
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<ScriptedSession[]> {
    this.#requireFree();
    options.signal?.throwIfAborted();
    this.#readAll();
    const members: ScriptedSession[] = [];
    for (let index = 0; index < n; index++) members.push(await this.fork());
    return members;
  }

  score(options: Omit<ScoreRequest, "tokenIds">): Promise<TokenScores> {
    const { tokenIds, policyVersion } = this;
    return Promise.resolve(this.#script.score({ ...options, tokenIds }, policyVersion));
  }

  snapshot(): ScriptedSnapshot {
    return {
      baseModel: this.#script.policy.baseModel,
      policyVersion: this.policyVersion,
      adapterId: this.#adapter.id,
      adapterScale: this.#adapter.scale,
      tokenIds: [...this.tokenIds],
    };
  }

  activate(adapterId: string | null, options: { readonly scale?: number } = {}): void {
    this.#requireFree();
    if (adapterId !== null && !this.#script.isResident(adapterId)) {
      throw new WaggleError("INVALID_ARGUMENT", `adapter ${adapterId.slice(0, 80)} is not loaded`);
    }
    this.#adapter = { id: adapterId, scale: options.scale ?? 1 };
    this.#read = { count: 0, knowsNext: false };
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
        `the script has no turn for sample ${this.samples.length}; add one`,
      );
    }
    this.#readAll();
    const script = typeof turn === "function" ? turn(this.tokenIds) : turn;
    const start = this.tokenIds.length;
    let stopReason: SampleStopReason = "max-tokens";
    for (const [index, tokenId] of script.entries()) {
      await this.#script.beforeToken(index);
      if (options.signal?.aborted) stopReason = "aborted";
      else if (this.tokenIds.length >= this.#script.policy.contextLength)
        stopReason = "context-overflow";
      else if (index >= options.maxTokens) stopReason = "max-tokens";
      else {
        // Sampling a token reads the one before, which was sampled too.
        this.#read = { count: this.tokenIds.length, knowsNext: false };
        this.tokenIds.push(tokenId);
        options.onToken?.(tokenId);
        if (!options.stopTokenIds.includes(tokenId)) continue;
        stopReason = "stop-token";
      }
      break;
    }
    return this.#record(start, options, stopReason);
  }

  async #record(
    start: number,
    options: GenerateOptions,
    stopReason: SampleStopReason,
  ): Promise<Sample> {
    const tokenIds = this.tokenIds.slice(start);
    const isFull = options.sampling.topK === 0 && options.sampling.topP === 1;
    const rawLogProbs = tokenIds.map((id, index) =>
      scriptedLogProb(id, start + index, this.policyVersion),
    );
    return {
      tokenIds,
      stopReason,
      rawLogProbs,
      behaviorLogProbs: rawLogProbs.map((value) => (isFull ? value : 0)),
      entropies: rawLogProbs.map((value) => (isFull ? scriptedEntropy(value) : 0)),
      ...(options.grammar && {
        grammar: await sha256(canonicalJson(options.grammar)),
        tokenBudget: options.maxTokens,
      }),
      ...(isFull ? {} : { keptTokenIds: tokenIds.map((id) => [id]) }),
    };
  }

  #readAll(): void {
    const { length } = this.tokenIds;
    if (this.#read.knowsNext) return;
    // A prediction that was not kept costs the last token again.
    this.#script.onRead(length - Math.min(this.#read.count, Math.max(0, length - 1)));
    this.#read = { count: length, knowsNext: true };
  }

  #requireFree(): void {
    if (this.disposed) throw disposedError();
    if (this.#busy) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        "the context is still sampling; await that call first",
      );
    }
  }
}

/** In [−2, −0.01]: some number of token, position and version that a wrong index would change. */
export function scriptedLogProb(
  tokenId: number,
  position: number,
  version: PolicyVersionId,
): number {
  return -0.01 - ((tokenId * 31 + position * 17 + version * 7) % 200) / 100.5;
}

/** Entropy of a coin that shows the token with its probability; in nats. */
export function scriptedEntropy(logProbability: number): number {
  const p = Math.exp(logProbability);
  return -p * logProbability - (1 - p) * Math.log(1 - p);
}

function disposedError(): WaggleError {
  return new WaggleError("DISPOSED", "the context was disposed");
}
