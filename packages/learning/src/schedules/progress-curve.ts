/**
 * `weight-anneal`: a reward or loss weight that changes during training, with exact values at both ends.
 *
 * Source: SPEAR (bonus fades, self-imitation grows), Atom-Searcher (process fades to outcome), MSRL.
 */
import { option, definePart } from "../composition/part-options.ts";
import type { SchedulePart } from "../composition/stage.ts";
import { requireInside } from "../statistics.ts";

export type Curve = "linear" | "cosine" | "step";

export type Annealing = {
  readonly from: number;
  readonly to: number;
  /** Last step at `from`, and first step at `to`; begin ≤ end. */
  readonly begin: number;
  readonly end: number;
  /** `step` jumps at `end`. Default `linear`. */
  readonly curve?: Curve;
};

/** The value at a step, counted from 0: `from` until `begin`, `to` from `end` on, exactly. */
export function annealedAt(
  { from, to, begin, end, curve = "linear" }: Annealing,
  step: number,
): number {
  requireInside("begin", begin, 0, end);
  if (step >= end) return to;
  if (step <= begin || curve === "step") return from;
  const progress = (step - begin) / (end - begin);
  const share = curve === "linear" ? progress : (1 - Math.cos(Math.PI * progress)) / 2;
  return from + (to - from) * share;
}

/** `weight-anneal`: weights of reward components change from one number to another over the stage. */
export function weightAnneal(
  weights: { readonly [component: string]: readonly [from: number, to: number] },
  curve?: Curve,
): SchedulePart {
  return definePart({ curve: option(curve, "linear") }, ({ curve }) => ({
    slot: "schedule",
    part: "weight-anneal",
    at: (settings, { step, steps }) => ({
      ...settings,
      rewardWeights: {
        ...settings.rewardWeights,
        ...Object.fromEntries(
          Object.entries(weights).map(([name, [from, to]]) => [
            name,
            annealedAt({ from, to, begin: 0, end: Math.max(1, steps - 1), curve }, step),
          ]),
        ),
      },
    }),
  }));
}
