/**
 * Rollouts that failed because the sampler's server or the judge was unavailable. A step counts
 * them and continues without them; they are never failures of the policy.
 */
import type { JudgedGroup } from "@waggle/learning";
import { WaggleError } from "@waggle/protocol";

/** Counts the lost rollouts of a step. */
export class LostRollouts {
  #count = 0;
  #last: WaggleError | null = null;

  /** Number since the last call of `taken`. */
  get count(): number {
    return this.#count;
  }

  /** @throws the error itself unless it is retryable: the next rollout would fail with it too. */
  add(error: unknown): void {
    if (!WaggleError.is(error) || !error.retryable) throw error;
    this.#count += 1;
    this.#last = error;
  }

  /** The groups with trajectories. @throws the last rollout's error if every group is empty. */
  kept(groups: readonly JudgedGroup[]): JudgedGroup[] {
    const kept = groups.filter(({ trajectories }) => trajectories.length > 0);
    if (kept.length === 0 && groups.length > 0 && this.#last !== null) throw this.#last;
    return kept;
  }

  /** Returns the number since the last call, and resets it. */
  taken(): number {
    const count = this.#count;
    this.#count = 0;
    this.#last = null;
    return count;
  }
}
