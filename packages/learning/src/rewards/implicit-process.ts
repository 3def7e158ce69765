/**
 * `implicit-prm`: β · (log π_prm − log π_ref) summed over a step's tokens is a process reward that a model
 * trained on trajectory preferences yields without step labels. Does not train that model.
 *
 * Source: Yuan et al. 2024, "Free Process Rewards without Process Labels", arXiv:2412.01981; OPRL,
 * arXiv:2509.19199 (online, per turn).
 */
import { option, definePart } from "../composition/part-options.ts";
import type { ProcessLogProbs, RewardPart } from "../composition/part.ts";
import { requireSameLength } from "../statistics.ts";
import { finiteAt } from "../token-rows.ts";
import { opened } from "./learned-rewards.ts";

/**
 * `[steps]` β · Σ over the step's sampled tokens of log π_prm − log π_ref.
 *
 * @param prmLogProbs - `[T]` of the taken tokens, detached.
 * @param referenceLogProbs - `[T]`
 * @param spans - `[steps]` sampled tokens `[start, end)` of each step.
 */
export function implicitProcessRewards(
  prmLogProbs: ArrayLike<number>,
  referenceLogProbs: ArrayLike<number>,
  spans: readonly { readonly start: number; readonly end: number }[],
  beta: number,
): number[] {
  requireSameLength(
    "prmLogProbs",
    prmLogProbs.length,
    "referenceLogProbs",
    referenceLogProbs.length,
  );
  return spans.map(({ start, end }) => {
    let sum = 0;
    for (let t = start; t < end; t += 1) {
      sum +=
        finiteAt([prmLogProbs], "prmLogProbs", 0, t) -
        finiteAt([referenceLogProbs], "referenceLogProbs", 0, t);
    }
    return beta * sum;
  });
}

/**
 * `implicit-prm`: β times the log-ratio of the process model to the reference over each turn's tokens. Only
 * turns are rewarded; the trajectory's own reward is 0.
 */
export function implicitProcess(beta?: number): RewardPart<"iprm"> {
  return definePart({ beta: option(beta, 0.05) }, ({ beta }) => ({
    slot: "reward",
    part: "implicit-prm",
    needs: ["iprm"],
    rewards: async ({ trajectories }, { ports }) => {
      const logProbs = await opened(ports.iprm, "implicit-prm", "a process model")(trajectories);
      return trajectories.map(({ turns }, i) => {
        const { model, reference } = logProbs[i] as ProcessLogProbs;
        return {
          total: 0,
          turnRewards: turns.flatMap((turn) =>
            implicitProcessRewards(
              model[turn.sample] ?? [],
              reference[turn.sample] ?? [],
              [turn],
              beta,
            ),
          ),
        };
      });
    },
  }));
}
