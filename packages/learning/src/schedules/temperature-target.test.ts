/** A sampling temperature that keeps the entropy at a target. */
import { expect, test } from "vitest";
import type { PartContext, RewardedGroup } from "../composition/part.ts";
import { measuredEntropy } from "./temperature-target.ts";

const CONTEXT = { step: 0, steps: 1, random: () => 0.5, state: { temperature: 1 }, ports: {} };

/** A group whose only trajectory was sampled with this entropy. */
function measured(entropy: number): RewardedGroup {
  const spans = [{ segment: { entropies: [entropy, entropy] }, start: 0 }];
  const trajectory = { id: "e", samples: [{ spans }], turns: [{}] };
  return { task: "t", trajectories: [{ trajectory }] } as unknown as RewardedGroup;
}

test("the temperature follows the measured entropy within its bounds", () => {
  const filter = measuredEntropy({ target: 0.3, gain: 1, least: 0.5, most: 2 });
  const after = (entropy: number): unknown =>
    filter.apply([measured(entropy)], CONTEXT as unknown as PartContext).state?.temperature;
  expect(after(0.3)).toBeCloseTo(1, 12);
  expect(after(0.1)).toBeCloseTo(Math.exp(0.2), 12);
  expect(after(9)).toBe(0.5);
});
