/**
 * A step that was submitted before it was asked for: the device reads the tokens that it has just
 * drawn while the host still waits for their numbers, so the way there and back costs no time. It
 * writes one position behind what its caches hold; where something else is asked for, that is void.
 */
import type { DecoderRow } from "../decoder-backend.ts";
import type { CachePlacement, WebgpuCache } from "./cache-rows.ts";

export class StepAhead {
  readonly #place: CachePlacement;
  readonly #caches: readonly { readonly cache: WebgpuCache; readonly length: number }[];
  /** What it read for each cache, known when the host has read it too. */
  #tokenIds: readonly number[] = [];

  /** Its caches have just read the token before. */
  constructor(caches: readonly WebgpuCache[], place: CachePlacement) {
    this.#place = place;
    this.#caches = caches.map((cache) => ({ cache, length: cache.length }));
  }

  drew(tokenIds: readonly number[]): void {
    this.#tokenIds = tokenIds;
  }

  /** Whether the logits that it leaves are those of these rows. */
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
