/**
 * A Policy that says what a script says. Its log-probs come from a fixed formula, the same in
 * `generate` and `score`, so that tests of records and re-scoring hold; they mean nothing else.
 */
import { WaggleError } from "@waggle/protocol";
import type {
  ClientDescription,
  Policy,
  PolicyVersionId,
  ScoreRequest,
  TokenScores,
} from "@waggle/protocol";
import { ScriptedSession, scriptedEntropy, scriptedLogProb } from "./scripted-session.ts";
import type { RecordedContext, ScriptedSnapshot, ScriptedTurn } from "./scripted-session.ts";

/** Options of a scripted policy. */
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

/** A policy that says scripted turns. */
export class ScriptedPolicy implements Policy {
  readonly baseModel: string;
  readonly contextLength: number;
  readonly vocabularySize: number;
  /** Set it to publish another version; contexts stay at theirs. */
  currentVersion: PolicyVersionId;
  readonly client: ClientDescription = {
    build: "scripted",
    backend: "scripted",
    device: "scripted",
    crossOriginIsolated: false,
  };
  /** Given tokens that sessions had to read; what a fork shares counts once. */
  readTokens = 0;
  readonly #turns: ScriptedTurn[];
  readonly #beforeToken: (index: number) => Promise<void> | void;
  readonly #sessions: ScriptedSession[] = [];
  readonly #adapterIds = new Set<string>();

  constructor(options: ScriptedPolicyOptions) {
    this.baseModel = options.baseModel ?? "0".repeat(64);
    this.contextLength = options.contextLength ?? 100_000;
    this.vocabularySize = options.vocabularySize ?? 1024;
    this.currentVersion = options.version ?? 0;
    this.#turns = [...options.turns];
    this.#beforeToken = options.beforeToken ?? (() => undefined);
  }

  /** Every session that was created or branched off, in order. */
  get contexts(): readonly RecordedContext[] {
    return this.#sessions;
  }

  createContext(): Promise<ScriptedSession> {
    return Promise.resolve(this.#open(this.currentVersion));
  }

  async restore(snapshot: ScriptedSnapshot): Promise<ScriptedSession> {
    if (snapshot.baseModel !== this.baseModel) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `the snapshot is of base model ${snapshot.baseModel.slice(0, 64)}, not ${this.baseModel}`,
      );
    }
    const session = this.#open(snapshot.policyVersion);
    session.append(snapshot.tokenIds);
    if (snapshot.adapterId !== null) {
      session.activate(snapshot.adapterId, { scale: snapshot.adapterScale });
    }
    return session;
  }

  /** Any adapter will do: only its version changes what this policy says. */
  setAdapter(version: PolicyVersionId, _adapter: unknown): Promise<void> {
    this.currentVersion = version;
    return Promise.resolve();
  }

  loadAdapter(adapterId: string, _adapter: unknown): Promise<void> {
    this.#adapterIds.add(adapterId);
    return Promise.resolve();
  }

  unloadAdapter(adapterId: string): Promise<void> {
    this.#adapterIds.delete(adapterId);
    return Promise.resolve();
  }

  score(request: ScoreRequest): Promise<TokenScores> {
    return Promise.resolve(scoreScripted(request, this.currentVersion));
  }

  scoreMany(requests: readonly ScoreRequest[]): Promise<TokenScores[]> {
    return Promise.all(requests.map((request) => this.score(request)));
  }

  dispose(): Promise<void> {
    for (const session of this.#sessions) session.dispose();
    return Promise.resolve();
  }

  #open(version: PolicyVersionId): ScriptedSession {
    const keep = (session: ScriptedSession): void => {
      this.#sessions.push(session);
    };
    const session = new ScriptedSession(
      {
        policy: this,
        nextTurn: () => this.#turns.shift(),
        beforeToken: this.#beforeToken,
        score: scoreScripted,
        isResident: (adapterId) => this.#adapterIds.has(adapterId),
        onRead: (count) => {
          this.readTokens += count;
        },
        onBranch: keep,
      },
      version,
    );
    keep(session);
    return session;
  }
}

function scoreScripted(
  { tokenIds, sampling, keptTokenIds }: ScoreRequest,
  version: PolicyVersionId,
): TokenScores {
  const isFull = sampling.topK === 0 && sampling.topP === 1;
  const raw = tokenIds.map((id, at) => (at === 0 ? 0 : scriptedLogProb(id, at, version)));
  const isKept = (at: number): boolean => !isFull && (keptTokenIds?.[at] ?? null) !== null;
  return {
    rawLogProbs: raw,
    behaviorLogProbs: raw.map((value, at) => (isKept(at) ? 0 : value)),
    entropies: raw.map((value, at) => (isKept(at) ? 0 : scriptedEntropy(value))),
  };
}
