/** The tokens of one session, and the cache of those already read. */
import type { DecoderCache } from "../backend/decoder-backend.ts";

export class Sequence {
  /** The record of given and sampled tokens. The cache always has a prefix of it. */
  readonly tokenIds: number[];
  /** Keys and values of the first `cache.length` tokens; may be dropped and read again. */
  cache: DecoderCache | null = null;
  /** True while a job reads it; its cache is then not dropped to make room. */
  isBusy = false;
  /** Counter value at its last use. */
  lastUse = 0;

  constructor(tokenIds: readonly number[]) {
    this.tokenIds = [...tokenIds];
  }

  /** Removes its cache and returns it, to be freed. */
  takeCache(): DecoderCache | null {
    const { cache } = this;
    this.cache = null;
    return cache;
  }

  /** Leaves at least one token unread, because sampling needs a run that reads the last token. */
  leaveOneUnread(): void {
    const { cache, tokenIds } = this;
    if (cache !== null && cache.length >= tokenIds.length) cache.truncate(tokenIds.length - 1);
  }
}
