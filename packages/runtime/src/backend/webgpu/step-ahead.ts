/**
 * A step submitted before it is requested: the device reads the tokens that it has just drawn while
 * the host still waits for their scores, which hides the round trip. It writes one position after
 * the caches' contents; if something else is requested, that position is discarded.
 */
import type { DecoderRow } from "../decoder-backend.ts";
import type { CachePlacement, WebgpuCache } from "./cache-rows.ts";

export class StepAhead {
  readonly #place: CachePlacement;
  readonly #caches: readonly { readonly cache: WebgpuCache; readonly length: number }[];
  /** The token read for each cache, known once the host has read it too. */
  #tokenIds: readonly number[] = [];

  /** @param caches - have just read the previous token. */
  constructor(caches: readonly WebgpuCache[], place: CachePlacement) {
    this.#place = place;
    this.#caches = caches.map((cache) => ({ cache, length: cache.length }));
  }

  drew(tokenIds: readonly number[]): void {
    this.#tokenIds = tokenIds;
  }

  /** Whether its logits are those of these rows. */
  isOf(rows: readonly DecoderRow[], { block, first, rows: count }: CachePlacement): boolean {
    const place = this.#place;
    if (place.block !== block || place.first !== first || place.rows !== count) return false;
    return (
      rows.length === this.#caches.length &&
      rows.every(({ cache, tokenIds }, index) => {
        const own = this.#caches[index];
        const isSame = own?.cache === cache && own.length === cache.length;
        return isSame && tokenIds.length === 1 && tokenIds[0] === this.#tokenIds[index];
      })
    );
  }
}
