/**
 * RAE: a moving average of returns by key (environment, role or visitor) as the baseline of single rollouts. It
 * accepts groups of one, which group estimators refuse. The state is a plain JSON value.
 *
 * Source: Liu et al. 2025, "SPIRAL" (role-conditioned advantage estimation), arXiv:2506.24119;
 * prime-rl 559b447 has decay 0.95.
 * Differs from it: an unseen key starts at a given prior, so that its first rollout already has a baseline.
 */
import { option, definePart } from "../composition/part-options.ts";
import { kept, type StatePart } from "../composition/state.ts";
import { requireFiniteRewards, requireSameLength } from "../statistics.ts";

export type MovingBaseline = {
  /** Decay per return, in [0, 1). */
  readonly decay: number;
  /** Prior mean of a key before its first return. */
  readonly prior: number;
  readonly values: { readonly [key: string]: number };
};

export function movingBaseline(
  options: { readonly decay?: number; readonly prior?: number } = {},
): MovingBaseline {
  return { decay: options.decay ?? 0.95, prior: options.prior ?? 0, values: {} };
}

/** The current baseline of a key. */
export function baselineOf({ prior, values }: MovingBaseline, key: string): number {
  return Object.hasOwn(values, key) ? values[key]! : prior;
}

/**
 * Advantages of single rollouts against the baseline before the batch, and the baseline after it:
 * b ← decay · b + (1 − decay) · r, in order.
 *
 * @param rewards - `[N]`, N ≥ 1.
 * @param keys - `[N]`
 */
export function movingBaselineAdvantages(
  baseline: MovingBaseline,
  rewards: readonly number[],
  keys: readonly string[],
): { readonly advantages: number[]; readonly baseline: MovingBaseline } {
  requireSameLength("keys", keys.length, "rewards", rewards.length);
  requireFiniteRewards(rewards);
  const advantages = rewards.map((reward, i) => reward - baselineOf(baseline, keys[i]!));
  const values = new Map(Object.entries(baseline.values));
  for (const [i, reward] of rewards.entries()) {
    const before = values.get(keys[i]!) ?? baseline.prior;
    values.set(keys[i]!, baseline.decay * before + (1 - baseline.decay) * reward);
  }
  return { advantages, baseline: { ...baseline, values: Object.fromEntries(values) } };
}

/** State: a moving average of rewards by key. */
export function baseline(
  options: Parameters<typeof movingBaseline>[0] = {},
): StatePart<"baseline"> {
  return definePart(
    { decay: option(options.decay, 0.95), prior: option(options.prior, 0) },
    (given) => ({
      ...kept("baseline", () => movingBaseline(given)),
      onlyStatistics: true,
    }),
  );
}
