/**
 * One object per visitor (or address) that counts requests in a minute. In memory only: an evicted
 * object forgets at most one minute.
 */
import { DurableObject } from "cloudflare:workers";
import type { Bindings } from "./settings.ts";

const WINDOW_MS = 60_000;

export class RateLimiter extends DurableObject<Bindings> {
  #windowStart = 0;
  #count = 0;

  /** @returns 0 where `count` more requests fit into the current minute, else milliseconds to the next one */
  take(limit: number, now: number, count: number): number {
    if (now - this.#windowStart >= WINDOW_MS) {
      this.#windowStart = now;
      this.#count = 0;
    }
    this.#count += count;
    return this.#count <= limit ? 0 : this.#windowStart + WINDOW_MS - now;
  }
}
