/**
 * `vote`: a label is accepted if enough of several judges agree. A judge that abstains has no vote.
 *
 * Source: MultiCritique, Prism-Reranker, Proactive Agent (votes of critics).
 */
import { option, definePart } from "../composition/part-options.ts";
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import type { FilterPart } from "../composition/part.ts";
import { requireInside, sumOf } from "../statistics.ts";
import { filterPart, keepTrajectories } from "./filter-part.ts";
import { selectBy } from "./selection.ts";

/** The agreed label and its support. */
export type Agreement<L> = {
  /** `null` if too few agreed or none voted. */
  readonly label: L | null;
  /** Votes for the most frequent label divided by votes cast; 0 without votes. */
  readonly share: number;
};

/**
 * The label that enough judges agree on.
 *
 * @param votes - `null` for an abstention.
 * @param leastShare - of the votes cast, in (0.5, 1] for a majority. Default 2/3.
 * @param leastVotes - minimal number of votes cast. Default 2.
 */
export function agreedLabel<L>(
  votes: readonly (L | null)[],
  leastShare: number = 2 / 3,
  leastVotes: number = 2,
): Agreement<L> {
  requireInside("leastShare", leastShare, 0, 1);
  const counts = new Map<L, number>();
  for (const vote of votes) if (vote !== null) counts.set(vote, (counts.get(vote) ?? 0) + 1);
  const cast = sumOf([...counts.values()]);
  if (cast === 0) return { label: null, share: 0 };
  const ranked = [...counts].sort(([, a], [, b]) => b - a);
  const [label, count] = ranked[0]!;
  const share = count / cast;
  const isTie = ranked[1]?.[1] === count;
  return { label: isTie || cast < leastVotes || share < leastShare ? null : label, share };
}

/** `vote`: keeps rollouts whose label agrees with the majority of their task. */
export function vote(
  labelOf: (trajectory: JudgedTrajectory) => string | null,
  leastShare?: number,
  leastVotes?: number,
): FilterPart {
  return definePart(
    { voteLeastShare: option(leastShare, 2 / 3), voteLeastVotes: option(leastVotes, 2) },
    ({ voteLeastShare: leastShare, voteLeastVotes: leastVotes }) =>
      filterPart("vote", (groups) => {
        const agreed = new Map(
          groups.map(({ task, trajectories }) => [
            task,
            agreedLabel(
              trajectories.map(({ trajectory }) => labelOf(trajectory)),
              leastShare,
              leastVotes,
            ).label,
          ]),
        );
        const taskOf = new Map(
          groups.flatMap(({ task, trajectories }) =>
            trajectories.map(({ trajectory }) => [trajectory.id, task]),
          ),
        );
        return keepTrajectories(groups, (all) =>
          selectBy(all, ({ trajectory }) => {
            const label = agreed.get(taskOf.get(trajectory.id) ?? "") ?? null;
            if (label === null) return "no-agreement";
            return labelOf(trajectory) === label ? null : "outvoted";
          }),
        );
      }),
  );
}
