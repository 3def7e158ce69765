/** Fits the progress estimator to the outcomes of each step. */
import { option, definePart } from "../composition/part-options.ts";
import type { FilterPart } from "../composition/part.ts";
import { featuresOf, fitProgress, type ProgressEstimator } from "../states/progress-estimator.ts";
import { filterPart } from "./filter-part.ts";

/** Drops nothing: fits the estimator to this step's trajectories, in `passes` passes over them. */
export function fitsProgress(rate?: number, passes?: number): FilterPart<"progress-est"> {
  return definePart(
    { fitsProgressRate: option(rate, 0.05), fitsProgressPasses: option(passes, 20) },
    ({ fitsProgressRate: rate, fitsProgressPasses: passes }) =>
      filterPart(
        "fits-progress",
        (groups, { state }) => {
          const trajectories = groups.flatMap((group) =>
            group.trajectories.map(({ trajectory }) => trajectory),
          );
          const runs = trajectories.map(featuresOf);
          const outcomes = trajectories.map(({ verification }) => verification.reward);
          let estimator = state["progress-est"] as ProgressEstimator;
          for (let pass = 0; pass < passes && runs.length > 0; pass += 1) {
            estimator = fitProgress(estimator, runs, outcomes, rate);
          }
          return { groups, dropped: new Map(), state: { "progress-est": estimator } };
        },
        { needs: ["progress-est"] },
      ),
  );
}
