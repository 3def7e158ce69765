/**
 * `slow-copy`: an exponential moving average of the weights. It forgets less, and is deployed or used as a
 * teacher.
 *
 * Source: Stojanovski et al. 2022, "Momentum-based Weight Interpolation", arXiv:2211.03186; Lu et al.
 * 2020, "Seeded Iterated Learning", arXiv:2003.12694 (teacher copied from the student every k steps).
 */
import { option, definePart } from "../composition/part-options.ts";
import { WaggleError } from "@waggle/protocol";
import { resource, type StatePart } from "../composition/state.ts";
import { requireInside } from "../statistics.ts";

/** Weights by name, in double precision. */
export type NamedWeights = ReadonlyMap<string, Float64Array>;

/**
 * decay · slow + (1 − decay) · current, by name.
 *
 * @throws WaggleError `SHAPE_MISMATCH` if names or lengths differ.
 */
export function averagedWeights(
  slow: NamedWeights,
  current: NamedWeights,
  decay: number,
): Map<string, Float64Array> {
  requireInside("decay", decay, 0, 1);
  const result = new Map<string, Float64Array>();
  for (const [name, weights] of slow) {
    const other = current.get(name);
    if (other === undefined || other.length !== weights.length || current.size !== slow.size) {
      throw new WaggleError(
        "SHAPE_MISMATCH",
        `the two copies differ in ${name.slice(0, 64)}: ${weights.length} weights and ${other?.length ?? "none"}; average copies of one model`,
      );
    }
    result.set(
      name,
      weights.map((value, i) => decay * value + (1 - decay) * other[i]!),
    );
  }
  return result;
}

/**
 * `slow-copy`: an exponential moving average of the policy with this `decay`; the average rolls out held-out
 * tasks.
 */
export function averagedCopy(decay?: number): StatePart<"slow-copy"> {
  return definePart({ averagedCopyDecay: option(decay, 0.9) }, ({ averagedCopyDecay: decay }) => ({
    ...resource("slow-copy"),
    roles: { names: ["slow"], learn: [], averages: { slow: decay }, deploys: "slow" },
  }));
}
