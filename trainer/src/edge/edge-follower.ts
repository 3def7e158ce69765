/** Follows what changes at the edge while a trainer runs: versions, the gate, the environment. */
import type { PromotionGate } from "@waggle/protocol";
import type { HeldCheckpoint } from "../checkpoint/held-checkpoint.ts";
import type { EdgeClient } from "./edge-client.ts";
import { hasOtherStable, withPolicies } from "./edge-following.ts";

/** The edge's policies are read at least this often while there is something to do. */
const FOLLOW_MS = 5000;

export type EdgeFollowerParts = {
  readonly edge: EdgeClient;
  /** Milliseconds, never falling. */
  readonly now: () => number;
  /** A fresh UUID. */
  readonly newId: () => string;
};

export class EdgeFollower {
  readonly #parts: EdgeFollowerParts;
  readonly #checkpoint: HeldCheckpoint;
  #followedAt = -Infinity;
  #gate: PromotionGate | null = null;
  #hasStableChanged = false;

  constructor(parts: EdgeFollowerParts, checkpoint: HeldCheckpoint) {
    this.#parts = parts;
    this.#checkpoint = checkpoint;
  }

  /** What a candidate has to pass; `null` before the edge was followed. */
  get gate(): PromotionGate | null {
    return this.#gate;
  }

  /** The edge serves other parameters than those that training went out from. */
  get hasStableChanged(): boolean {
    return this.#hasStableChanged;
  }

  get isDue(): boolean {
    return this.#parts.now() - this.#followedAt >= FOLLOW_MS;
  }

  /** What is known of the edge is out of date. */
  forget(): void {
    this.#followedAt = -Infinity;
  }

  /** Takes over what changed at the edge, or finds that its stable version is another. */
  async follow(): Promise<void> {
    const { edge, now, newId } = this.#parts;
    const { state } = this.#checkpoint;
    let policies = await edge.policies(state.epoch);
    // An edge that was restored counts from an earlier epoch.
    if (policies.epoch < (state.epoch ?? 0)) policies = await edge.policies();
    this.#followedAt = now();
    this.#gate = policies.gate;
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
