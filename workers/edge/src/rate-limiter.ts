/**
 * One Durable Object per visitor or address prefix, which counts requests per minute. It keeps the count in
 * memory, so that an eviction loses at most one minute.
 */
import { DurableObject } from "cloudflare:workers";
import type { Bindings } from "./settings.ts";

const WINDOW_MS = 60_000;

/** Fixed-window request counter. */
export class RateLimiter extends DurableObject<Bindings> {
  #windowStart = 0;
  #count = 0;

  /** @returns 0 if `count` more requests fit into the current minute, otherwise milliseconds until the next one */
  take(limit: number, now: number, count: number): number {
    if (now - this.#windowStart >= WINDOW_MS) {
      this.#windowStart = now;
      this.#count = 0;
    }
    this.#count += count;
    return this.#count <= limit ? 0 : this.#windowStart + WINDOW_MS - now;
  }
}
