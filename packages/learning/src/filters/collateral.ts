/**
 * `collateral`: old samples are rehearsed in proportion to how often samples like them turned wrong, the
 * damage that the new stage does.
 *
 * Source: Bai et al. 2024, "An Efficient Rehearsal Scheme" (mix-cd), arXiv:2402.08096.
 */
import { indicesByKey, requireSameLength } from "../statistics.ts";

/**
 * `[N]` weights that sum to 1: the rate of turned samples within each one's cluster, smoothed so that
 * clusters not seen yet are rehearsed too.
 *
 * @param wasRight - `[N]` before the stage.
 * @param isRight - `[N]` now, `null` where not measured.
 * @param clusters - `[N]` what makes samples alike.
 * @param smoothing - pseudo-counts of a turned and an unturned sample. Default 1.
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
