/** Tracks changes at the edge while a trainer runs: versions, the gate, the running release. */
import type { PoliciesResponse, PromotionGate } from "@waggle/protocol";
import type { HeldCheckpoint } from "../checkpoint/held-checkpoint.ts";
import type { EdgeClient } from "./edge-client.ts";
import { hasOtherStable, withPolicies } from "./edge-following.ts";

/** The edge's policies are read at least this often while there is work. */
const FOLLOW_MS = 5000;

export type EdgeFollowerParts = {
  readonly edge: EdgeClient;
  /** Monotonic clock in milliseconds. */
  readonly now: () => number;
  /** A fresh UUID. */
  readonly newId: () => string;
};

/** Polls the edge's policies and keeps the checkpoint's state consistent with them. */
export class EdgeFollower {
  readonly #parts: EdgeFollowerParts;
  readonly #checkpoint: HeldCheckpoint;
  #followedAt = -Infinity;
  #gate: PromotionGate | null = null;
  #hasStableChanged = false;
  #release: PoliciesResponse["release"] = null;

  constructor(parts: EdgeFollowerParts, checkpoint: HeldCheckpoint) {
    this.#parts = parts;
    this.#checkpoint = checkpoint;
  }

  /** The edge's promotion gate; `null` before the first read. */
  get gate(): PromotionGate | null {
    return this.#gate;
  }

  /** The running release; `null` if there is none. A trainer may roll its candidate back, but not promote it. */
  get release(): NonNullable<PoliciesResponse["release"]> | null {
    return this.#release ?? null;
  }

  /** True if the edge's stable parameters are not the ones that training started from. */
  get hasStableChanged(): boolean {
    return this.#hasStableChanged;
  }

  get isDue(): boolean {
    return this.#parts.now() - this.#followedAt >= FOLLOW_MS;
  }

  /** Makes the next read due at once. */
  forget(): void {
    this.#followedAt = -Infinity;
  }

  /** Applies changes at the edge to the state, or notices that the stable version changed. */
  async follow(): Promise<void> {
    const { edge, now, newId } = this.#parts;
    const { state } = this.#checkpoint;
    let policies = await edge.policies(state.epoch);
    // An edge restored from a backup counts from an earlier epoch.
    if (policies.epoch < (state.epoch ?? 0)) policies = await edge.policies();
    this.#followedAt = now();
    this.#gate = policies.gate;
    this.#release = policies.release;
    if (policies.epoch === state.epoch) return;
    const canary = state.publication?.version ?? null;
    const isCompared = [state.stableVersion, canary].includes(policies.stable);
    if (canary !== null && !isCompared) await edge.rollBack(canary);
    this.#hasStableChanged = hasOtherStable(state, policies);
    if (!this.#hasStableChanged) {
      await this.#checkpoint.commitState(withPolicies(state, policies, newId));
    }
  }
}
