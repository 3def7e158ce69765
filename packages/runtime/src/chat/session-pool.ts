/**
 * The sessions that a chat keeps, so that a conversation is read once. A request continues the
 * session that shares most tokens with it, or a fork of it where they differ.
 */
import type { Session } from "../session/session.ts";
import { assistantKey } from "./conversation.ts";
import type { Recall, SampledTurn } from "./conversation.ts";
import type { ChatAssistantMessage } from "./chat-types.ts";

/** The members of an `AdaptivePolicy` that the pool uses. */
export interface SessionSource {
  readonly currentVersion: number;
  createContext(): Promise<Session>;
}

type KnownTurn = SampledTurn & { readonly start: number; readonly key: string };

/** A session, with what is known about its tokens. */
export type PooledSession = {
  readonly session: Session;
  /** Tokens whose keys and values are cached: all but a sampled last one. */
  readCount: number;
  turns: readonly KnownTurn[];
  isBusy: boolean;
};

export class SessionPool {
  readonly #policy: SessionSource;
  readonly #maxSessions: number;
  /** Least recently used first. */
  #sessions: PooledSession[] = [];

  constructor(policy: SessionSource, maxSessions: number) {
    this.#policy = policy;
    this.#maxSessions = maxSessions;
  }

  /** Answers that followed these tokens in a session that is still kept. */
  readonly recall: Recall = (before, message) => {
    const key = assistantKey(message);
    for (const { session, turns } of this.#sessions) {
      const turn = turns.find((known) => known.start === before.length && known.key === key);
      if (turn && commonLength(session.tokenIds, before) === before.length) return turn;
    }
    return null;
  };

  /**
   * A session with exactly `tokenIds`, busy until `release`.
   *
   * @returns the session, and the number of tokens that need not be read.
   */
  async acquire(
    tokenIds: readonly number[],
    signal: AbortSignal,
  ): Promise<{ pooled: PooledSession; cachedTokens: number }> {
    this.#dropStale();
    let best: PooledSession | null = null;
    let shared = 0;
    for (const candidate of this.#sessions) {
      const length = commonLength(candidate.session.tokenIds, tokenIds);
      const isBetter = length > shared || (length === shared && best?.isBusy === true);
      if (length > 0 && isBetter) [best, shared] = [candidate, length];
    }
    if (best !== null && !best.isBusy && shared === best.session.tokenIds.length) {
      best.isBusy = true;
      best.session.append(tokenIds.slice(shared));
      return { pooled: best, cachedTokens: Math.min(best.readCount, tokenIds.length - 1) };
    }
    // If nothing follows the last token, it is read again, because its prediction was not kept.
    const readCount = Math.min(shared, best?.readCount ?? 0, tokenIds.length - 1);
    const turns = (best?.turns ?? []).filter((turn) => turn.start + turn.tokenIds.length <= shared);
    const session = await this.#branch(best, shared, signal);
    session.append(tokenIds.slice(shared));
    const pooled = { session, readCount, turns, isBusy: true };
    this.#sessions.push(pooled);
    return { pooled, cachedTokens: readCount };
  }

  /** n busy sessions that continue one, which can no longer be used. */
  async group(pooled: PooledSession, n: number, signal: AbortSignal): Promise<PooledSession[]> {
    if (n === 1) return [pooled];
    try {
      const sessions = await pooled.session.group(n, { signal });
      const members = sessions.map((session) => ({ ...pooled, session, isBusy: true }));
      this.#sessions.push(...members);
      return members;
    } finally {
      this.discard(pooled);
    }
  }

  /** Replaces its session by one with the first `at` tokens. */
  async truncate(pooled: PooledSession, at: number): Promise<PooledSession> {
    const session = await pooled.session.fork({ at });
    const shorter = { ...pooled, session, readCount: Math.min(pooled.readCount, at) };
    this.#sessions.push(shorter);
    this.discard(pooled);
    return shorter;
  }

  /** Keeps it for later requests; its tokens from `start` on are this answer. */
  release(
    pooled: PooledSession,
    answer: { start: number; isEnded: boolean; message: ChatAssistantMessage } | null,
  ): void {
    pooled.isBusy = false;
    if (answer !== null) {
      const { start, isEnded, message } = answer;
      const tokenIds = pooled.session.tokenIds.slice(start);
      pooled.turns = [...pooled.turns, { start, isEnded, tokenIds, key: assistantKey(message) }];
    }
    this.#sessions = [...this.#sessions.filter((other) => other !== pooled), pooled];
    const idle = this.#sessions.filter((other) => !other.isBusy);
    for (const old of idle.slice(0, Math.max(0, idle.length - this.#maxSessions)))
      this.discard(old);
  }

  discard(pooled: PooledSession): void {
    this.#sessions = this.#sessions.filter((other) => other !== pooled);
    pooled.session.dispose();
  }

  dispose(): void {
    for (const pooled of this.#sessions) this.discard(pooled);
  }

  /** A new session, or a fork, whose source must not be evicted meanwhile. */
  async #branch(from: PooledSession | null, at: number, signal: AbortSignal): Promise<Session> {
    if (from === null) return this.#policy.createContext();
    const wasBusy = from.isBusy;
    from.isBusy = true;
    try {
      return await from.session.fork({ at, signal });
    } finally {
      from.isBusy = wasBusy;
    }
  }

  /** Drops sessions of older versions, because answers must come from the current one. */
  #dropStale(): void {
    for (const pooled of this.#sessions) {
      const isStale = pooled.session.policyVersion !== this.#policy.currentVersion;
      if (isStale && !pooled.isBusy) this.discard(pooled);
    }
  }
}

function commonLength(a: readonly number[], b: readonly number[]): number {
  const most = Math.min(a.length, b.length);
  for (let index = 0; index < most; index++) if (a[index] !== b[index]) return index;
  return most;
}
