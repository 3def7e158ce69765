import { expect, test } from "vitest";
import { adaptiveEntropyCoefficient, nextAdaptiveEntropy } from "./adaptive-entropy.ts";

const target = { target: 0.5, stepSize: 0.01, most: 0.025 };

test("the strength rises while entropy is below the target and falls above it, within its bounds", () => {
  let state = { strength: 0 };
  const seen: number[] = [];
  for (const entropy of [0.4, 0.4, 0.4, 0.6, 0.6, 0.6, 0.6]) {
    state = nextAdaptiveEntropy(state, entropy, target);
    seen.push(state.strength);
  }
  const expected = [0.01, 0.02, 0.025, 0.015, 0.005, 0, 0];
  for (const [i, value] of expected.entries()) expect(seen[i]).toBeCloseTo(value, 12);
});

test("the bonus applies only at or below the target", () => {
  const at = (entropy: number): number =>
    adaptiveEntropyCoefficient({ strength: 0.02 }, entropy, target);
  expect([0.3, 0.5, 0.51].map(at)).toEqual([0.02, 0.02, 0]);
});

test("entropy that shrinks without a bonus settles near the target with one", () => {
  let state = { strength: 0 };
  let entropy = 0.8;
  for (let step = 0; step < 400; step += 1) {
    state = nextAdaptiveEntropy(state, entropy, target);
    entropy += adaptiveEntropyCoefficient(state, entropy, target) - 0.008;
  }
  expect(Math.abs(entropy - 0.5)).toBeLessThan(0.1);
});
