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

  /** @returns whether one more request fits into the current minute */
  take(limit: number, now: number): boolean {
    if (now - this.#windowStart >= WINDOW_MS) {
      this.#windowStart = now;
      this.#count = 0;
    }
    this.#count += 1;
    return this.#count <= limit;
  }
}
