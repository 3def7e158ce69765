/**
 * Rollouts that did not come about: the sampler's server was away, or nobody could judge. They are missing from
 * a step and counted; they are never failures of the policy.
 */
import type { JudgedGroup } from "@waggle/learning";
import { WaggleError } from "@waggle/protocol";

export class LostRollouts {
  #count = 0;
  #last: WaggleError | null = null;

  /** Since the last call of `taken`. */
  get count(): number {
    return this.#count;
  }

  /** @throws the error itself where the next rollout would fail with it, too. */
  add(error: unknown): void {
    if (!WaggleError.is(error) || !error.retryable) throw error;
    this.#count += 1;
    this.#last = error;
  }

  /** The groups that came about. @throws the last rollout's error where none of them did. */
  kept(groups: readonly JudgedGroup[]): JudgedGroup[] {
    const kept = groups.filter(({ trajectories }) => trajectories.length > 0);
    if (kept.length === 0 && groups.length > 0 && this.#last !== null) throw this.#last;
    return kept;
  }

  /** How many since the last call. */
  taken(): number {
    const count = this.#count;
    this.#count = 0;
    this.#last = null;
    return count;
  }
}
