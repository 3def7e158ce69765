/** What goes wrong on purpose: faults wait by call until a request comes for them. */

/** A fault that the server injects into one request. */
export type TinkerFault =
  /** The server, or what stands before it, answers so and does nothing. */
  | { readonly kind: "refuse"; readonly status: number; readonly retryAfter?: string }
  /** The connection ends before the server has read the request. */
  | { readonly kind: "drop-before" }
  /** The server acts, the connection ends before its answer. */
  | { readonly kind: "drop-after" }
  /** The server acts, what stands before it answers with this status. */
  | { readonly kind: "lose-answer"; readonly status: number }
  /** A future is not done yet. `sdk` and `open-rl` say why: `active` by default. */
  | { readonly kind: "pending"; readonly queueState?: QueueState };

/** States of a queue in the Tinker SDK (`try_again_response.py`). */
export type QueueState = "active" | "paused_capacity" | "paused_rate_limit";

export class TinkerFaults {
  readonly #waiting = new Map<string, TinkerFault[]>();

  /** @param call last part of the path, `optim_step`. The next `times` requests to it fail so. */
  add(call: string, fault: TinkerFault, times: number = 1): void {
    const list = this.#waiting.get(call) ?? [];
    this.#waiting.set(call, [...list, ...Array.from({ length: times }, () => fault)]);
  }

  /** Takes the fault that waits for this call. */
  take(call: string): TinkerFault | null {
    return this.#waiting.get(call)?.shift() ?? null;
  }
}
