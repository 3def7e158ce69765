/**
 * `collateral`: rehearses old samples in proportion to how often similar samples turned wrong in the current
 * stage.
 *
 * Source: Bai et al. 2024, "An Efficient Rehearsal Scheme" (mix-cd), arXiv:2402.08096.
 */
import { option, definePart } from "../composition/part-options.ts";
import type { FilterPart, RewardedGroup, RewardedTrajectory } from "../composition/part.ts";
import { putRest, type RestBuffer } from "../states/rest-buffer.ts";
import { indicesByKey, requireSameLength } from "../statistics.ts";
import type { LossMask, TokenRows } from "../token-rows.ts";
import { filterPart } from "./filter-part.ts";

/**
 * `[N]` weights that sum to 1: the rate of samples in the same cluster that turned wrong, smoothed so that
 * clusters without observations are rehearsed too.
 *
 * @param wasRight - `[N]` before the stage.
 * @param isRight - `[N]` now, `null` if not measured.
 * @param clusters - `[N]` key of similar samples.
 * @param smoothing - pseudo-counts of one sample that turned wrong and one that did not. Default 1.
 */
export function rehearsalWeights(
  wasRight: readonly boolean[],
  isRight: readonly (boolean | null)[],
  clusters: readonly string[],
  smoothing: number = 1,
): number[] {
  requireSameLength("isRight", isRight.length, "wasRight", wasRight.length);
  requireSameLength("clusters", clusters.length, "wasRight", wasRight.length);
  const weights = wasRight.map(() => 0);
  for (const indices of indicesByKey(clusters).values()) {
    const measured = indices.filter((i) => wasRight[i] && isRight[i] !== null);
    const turned = measured.filter((i) => isRight[i] === false).length;
    const rate = (turned + smoothing) / (measured.length + 2 * smoothing);
    for (const i of indices) weights[i] = rate;
  }
  const sum = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight) => (sum === 0 ? 0 : weight / sum));
}

type Rehearsed = {
  readonly task: string;
  readonly rewarded: RewardedTrajectory;
  /** Whether it was right at any measurement. */
  readonly wasRight: boolean;
  /** Whether it was right at the last measurement; `null` = never measured. */
  readonly isRight: boolean | null;
};

/**
 * Adds old samples to each step, drawn by collateral damage.
 *
 * @param count - old samples per step.
 * @param rightFrom - geometric mean of its token probabilities from which a sample counts as right.
 */
export function collateral(
  count: number,
  rightFrom?: number,
  clusterOf: (rewarded: RewardedTrajectory) => string = ({ trajectory }) =>
    `turns-${trajectory.turns.length}`,
): FilterPart<"rest-buffer"> {
  return definePart(
    { collateralRightFrom: option(rightFrom, 0.5) },
    ({ collateralRightFrom: rightFrom }) => {
      const filter = filterPart(
        "collateral",
        (groups, { state, step, random }) => {
          const buffer = state["rest-buffer"] as RestBuffer<Rehearsed>;
          const old = drawnByDamage(
            buffer.items.map(({ item }) => item),
            count,
            clusterOf,
            random,
          );
          const own = groups.flatMap(({ task, trajectories }) =>
            trajectories.map((rewarded): Rehearsed => ({
              task,
              rewarded,
              wasRight: false,
              isRight: null,
            })),
          );
          const joined = [
            ...groups,
            ...old.map(({ task, rewarded }): RewardedGroup => ({ task, trajectories: [rewarded] })),
          ];
          return {
            groups: joined,
            dropped: new Map(),
            state: { "rest-buffer": putRest(buffer, own, step) },
          };
        },
        { needs: ["rest-buffer"] },
      );
      return {
        ...filter,
        observes: ({ trajectories, lossMask, proximalLogProbs }, { state }) => {
          const buffer = state["rest-buffer"] as RestBuffer<Rehearsed>;
          const right = new Map(
            trajectories.map(({ trajectory }, row) => [
              trajectory.id,
              meanProbability(lossMask, proximalLogProbs, row) >= rightFrom,
            ]),
          );
          const items = buffer.items.map((entry) => {
            const isRight = right.get(entry.item.rewarded.trajectory.id);
            if (isRight === undefined) return entry;
            const wasRight = entry.item.wasRight || isRight;
            return { ...entry, item: { ...entry.item, wasRight, isRight } };
          });
          return { "rest-buffer": { ...buffer, items } };
        },
      };
    },
  );
}

function meanProbability(lossMask: LossMask, logProbs: TokenRows, row: number): number {
  const sampled = Array.from(logProbs[row] ?? []).filter((_, t) => lossMask[row]?.[t] === true);
  return Math.exp(sampled.reduce((sum, value) => sum + value, 0) / Math.max(1, sampled.length));
}

/** `count` items without repetition, drawn by the damage of their clusters. */
function drawnByDamage(
  items: readonly Rehearsed[],
  count: number,
  clusterOf: (rewarded: RewardedTrajectory) => string,
  random: () => number,
): Rehearsed[] {
  const weights = rehearsalWeights(
    items.map(({ wasRight }) => wasRight),
    items.map(({ isRight }) => isRight),
    items.map(({ rewarded }) => clusterOf(rewarded)),
  );
  const drawn: Rehearsed[] = [];
  while (drawn.length < Math.min(count, items.length)) {
    let left = random() * weights.reduce((sum, weight) => sum + weight, 0);
    const found = weights.findIndex((weight) => {
      left -= weight;
      return weight > 0 && left < 0;
    });
    const at = found < 0 ? weights.findLastIndex((weight) => weight > 0) : found;
    drawn.push(items[at] as Rehearsed);
    weights[at] = 0;
  }
  return drawn;
}
