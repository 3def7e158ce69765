/**
 * pass@k: the share of tasks that at least one of k independent rollouts solves. Sharpening a policy does not
 * raise it, because it does not solve tasks that the policy never solved.
 *
 * Source: Chen et al. 2021, arXiv:2107.03374; with n = k rollouts their estimator is this share.
 */

import { shareSolved } from "./evaluation.ts";

/** The k of the evidence pages. */
export const PASS_DRAWS = 8;

/** @param rollout - `[tasks]` successes of the draw with this index; each draw has the same tasks */
export async function passAtK(
  draws: number,
  rollout: (draw: number) => Promise<readonly boolean[]>,
): Promise<number> {
  let solved: readonly boolean[] = [];
  for (let draw = 0; draw < draws; draw += 1) {
    const successes = await rollout(draw);
    solved = successes.map((success, i) => success || solved[i] === true);
  }
  return shareSolved(solved);
}
