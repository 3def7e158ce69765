/**
 * pass@k: the share of tasks that at least one of k independent rollouts solves. Sharpening a policy does not
 * raise it, because it does not solve tasks that the policy never solved.
 *
 * Source: Chen et al. 2021, arXiv:2107.03374; with n = k rollouts their estimator is this share.
 */
import { shareSolved } from "./success-rate.ts";

/** @param draws - `[k][tasks]` successes of independent rollouts of the same tasks. */
export function passAtK(draws: readonly (readonly boolean[])[]): number {
  const [first = []] = draws;
  return shareSolved(first.map((_, task) => draws.some((successes) => successes[task] === true)));
}
