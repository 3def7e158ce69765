/** The tokens of one session and the cache of those already read. It runs nothing. */
import type { DecoderCache } from "../backend/decoder-backend.ts";

export class Sequence {
  /** The record: given and sampled tokens. What is read is always a prefix of it. */
  readonly tokenIds: number[];
  /** Keys and values of the first `cache.length` tokens; may be dropped and read again. */
  cache: DecoderCache | null = null;
  /** True while a job reads it: such a cache is never dropped to make room. */
  isBusy = false;
  /** When it was last used, as a count of uses. */
  lastUse = 0;

  constructor(tokenIds: readonly number[]) {
    this.tokenIds = [...tokenIds];
  }

  /** Takes its cache away from it, for whoever may free it. */
  takeCache(): DecoderCache | null {
    const { cache } = this;
    this.cache = null;
    return cache;
  }

  /** Leaves a token to read, since a token is sampled from a run that reads the one before. */
  leaveOneUnread(): void {
    const { cache, tokenIds } = this;
    if (cache !== null && cache.length >= tokenIds.length) cache.truncate(tokenIds.length - 1);
  }
}
