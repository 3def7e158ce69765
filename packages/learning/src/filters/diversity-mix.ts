/**
 * `diversity-mix`: exact ratios over tasks, methods, skills or sources. Missing items are reported, not
 * silently replaced by others.
 *
 * Source: AgentTuning (agent runs with general data), FireAct (tasks times methods).
 */
import { WaggleError } from "@waggle/protocol";
import { fixed, definePart } from "../composition/part-options.ts";
import type { FilterPart, RewardedTrajectory } from "../composition/part.ts";
import { drawUniform } from "../draw.ts";
import { sumOf } from "../statistics.ts";
import { filterPart, keepTrajectories } from "./filter-part.ts";
import { selectIndices } from "./selection.ts";
import type { Selection } from "./selected.ts";

/** Relative share of each label. */
export type Ratios = { readonly [label: string]: number };

/**
 * Integers in the given ratio that sum to `total`: largest remainders, ties to the first label.
 *
 * @throws WaggleError `INVALID_ARGUMENT` for ratios that are not finite, negative, or all 0.
 */
export function mixtureCounts(total: number, ratios: Ratios): { [label: string]: number } {
  const labels = Object.keys(ratios);
  const sum = sumOf(Object.values(ratios));
  const bad = labels.find((label) => !(ratios[label]! >= 0));
  if (bad !== undefined || !(sum > 0 && Number.isFinite(sum))) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `ratios must be finite, not negative and not all 0, got ${JSON.stringify(ratios)}; give each label its share`,
    );
  }
  const exact = labels.map((label) => (total * ratios[label]!) / sum);
  const counts = exact.map(Math.floor);
  const byRemainder = labels
    .map((_, i) => i)
    .sort((a, b) => exact[b]! - counts[b]! - (exact[a]! - counts[a]!) || a - b);
  for (const i of byRemainder.slice(0, total - sumOf(counts))) counts[i] = counts[i]! + 1;
  return Object.fromEntries(labels.map((label, i) => [label, counts[i]!]));
}

/** The selected items and the shortfall of each label. */
export type Mixture = Selection & {
  /** By label: how many items were missing. */
  readonly missing: { readonly [label: string]: number };
};

/** `total` items drawn without repetition within each label, in exact ratio as far as they suffice. */
export function mixedInRatio(
  labels: readonly string[],
  ratios: Ratios,
  total: number,
  random: () => number,
): Mixture {
  const missing: { [label: string]: number } = {};
  const kept = Object.entries(mixtureCounts(total, ratios)).flatMap(([label, count]) => {
    const own = labels.flatMap((other, i) => (other === label ? [i] : []));
    if (own.length < count) missing[label] = count - own.length;
    return drawUniform(own, count, random);
  });
  return { ...selectIndices(labels.length, kept, "beyond-its-share"), missing };
}

/** `diversity-mix`: exact ratios over labels, as far as each has enough items. */
export function diversityMix(
  ratios: Ratios,
  total: number,
  labelOf: (rewarded: RewardedTrajectory) => string,
): FilterPart {
  return definePart({ total: fixed(total) }, () =>
    filterPart("diversity-mix", (groups, { random }) =>
      keepTrajectories(groups, (all) =>
        mixedInRatio(all.map(labelOf), ratios, Math.min(total, all.length), random),
      ),
    ),
  );
}
