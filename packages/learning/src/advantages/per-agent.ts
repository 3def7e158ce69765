/**
 * `per-agent`: each role is judged on its own scale, so that a role paid little does not look bad
 * beside one paid much. Not a team reward: rewards stay each agent's own.
 *
 * Source: Yuan et al. 2025, "MARS" (agent-specific advantage normalisation), arXiv:2510.15414; Liao
 * et al. 2025, "MARFT", arXiv:2504.16129.
 */
import { indicesByKey, requireSameLength } from "../statistics.ts";

/**
 * @param rewards - `[N]` of all agents of one task group.
 * @param agents - `[N]` role of each.
 * @param estimator - applied within each role: `[n]` rewards to `[n]` advantages.
 * @returns `[N]`; within each role whatever the estimator keeps: mean 0 for a group statistic.
 */
export function perAgentAdvantages(
  rewards: readonly number[],
  agents: readonly string[],
  estimator: (rewards: readonly number[], agent: string) => readonly number[],
): number[] {
  requireSameLength("agents", agents.length, "rewards", rewards.length);
  const advantages = rewards.map(() => 0);
  for (const [agent, indices] of indicesByKey(agents)) {
    const own = estimator(
      indices.map((i) => rewards[i]!),
      agent,
    );
    for (const [at, i] of indices.entries()) advantages[i] = own[at] as number;
  }
  return advantages;
}
