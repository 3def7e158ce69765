/** Set advantages after a fork, and a critic's advantages before it. */
import { fixed, definePart } from "../composition/part-options.ts";
import type { AdvantagePart } from "../composition/part.ts";
import type { TokenRows } from "../token-rows.ts";
import { advantagePart } from "./credit.ts";
import { gae, type GaeOptions } from "./generalized-advantages.ts";
import { setAdvantage } from "./set-advantages.ts";

/** `set` for the turns after a fork; `gae` for the turns that forks share. */
export function setAfterForks(
  size = 4,
  options: Partial<Pick<GaeOptions, "discount" | "lambda">> = {},
): AdvantagePart<"critic", "group"> {
  return definePart({ size: fixed(size) }, (_, [set, critic]) => byBoth(set, critic), [
    setAdvantage(size),
    gae({ ...options, whitened: false }),
  ]);
}

function byBoth(
  set: AdvantagePart<never, "group">,
  critic: AdvantagePart<"critic", "single">,
): AdvantagePart<"critic", "group"> {
  return advantagePart(
    "set",
    "group",
    (groups, context) => {
      const bySet = set.estimate(groups, context).advantages;
      const { advantages: byCritic, ...more } = critic.estimate(groups, context);
      const advantages = new Map<string, TokenRows>();
      for (const { trajectories } of groups) {
        for (const { trajectory } of trajectories) {
          const { id, turns } = trajectory;
          const forks = trajectories.flatMap(({ trajectory: { branch } }) =>
            branch?.trajectory === id ? [branch.turn] : [],
          );
          // Turns before this index are shared: where this fork branched off, or where the first fork left; 0
          // for neither.
          const from = trajectory.branch?.turn ?? (forks.length > 0 ? Math.min(...forks) : 0);
          const shared = turns.slice(0, from);
          advantages.set(
            id,
            (bySet.get(id) ?? []).map((row, sample) =>
              Float64Array.from(row, (value, t) => {
                const isShared = shared.some(
                  (turn) => turn.sample === sample && t >= turn.start && t < turn.end,
                );
                return isShared ? (byCritic.get(id)?.[sample]?.[t] ?? 0) : value;
              }),
            ),
          );
        }
      }
      return { ...more, advantages };
    },
    { needs: ["critic"], around: [set, critic] },
  );
}
