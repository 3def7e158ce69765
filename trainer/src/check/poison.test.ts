/**
 * Poisoning attacks: one fifth of the visitors forge a third of each group, or one visitor floods with
 * rollouts that pass every check. The policy must stay within a bound of what honest visitors alone
 * teach. Each defense has a control without it. `npm test` runs one seed of two.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { sampleSize, skipOutside } from "../../../test/fixtures/long.ts";
import type { BaseModel } from "../model/base-model.ts";
import { banditBase } from "../pretrain/bandit-base.fixture.ts";
import { type Hostility, type Learned, learnAmong, movement } from "./poison.fixture.ts";

/**
 * Nats, averaged over held-out tasks. Over seeds 1 to 8, the largest divergence of a flood was 0.05
 * with the cap on one visitor's share and the smallest without it 0.59. At twice the learning rate, one
 * of six runs exceeded it: the cap does not limit a step that is too large.
 */
const BOUND = 0.1;
const SHARE = 0.1;

let base: BaseModel;
beforeAll(async () => {
  base = await banditBase();
});

describe.each([1, 2].slice(0, sampleSize(1, 2)))("seed %i", (seed) => {
  let honest: Learned;
  const among = (hostility: Hostility): Promise<Learned> => learnAmong(base, seed, hostility);
  beforeAll(async () => {
    honest = await among({});
  });

  test("honest visitors alone teach the best levers", () => {
    // The base reaches about two in three.
    expect(honest.success).toBeGreaterThan(0.75);
  });

  test("forged rollouts are refused and change no number", async () => {
    const forged = await among({ forgers: 3 });
    expect(forged.outcomes.get("log-prob-gap")).toBeGreaterThan(200);
    expect(forged.parameters).toEqual(honest.parameters);
  });

  test("control: if believed, the same forgeries move the policy beyond the bound", async () => {
    const believed = await among({ forgers: 3, believes: true });
    expect(movement(honest.pulls, believed.pulls)).toBeGreaterThan(5 * BOUND);
    expect(believed.success).toBeLessThan(honest.success - 0.3);
  });

  test.for([3, 9])(
    "a flood of %i chosen groups per step moves the policy less than the bound",
    async (flood, context) => {
      skipOutside(flood === 3, context);
      const flooded = await among({ flood, visitorShare: SHARE });
      // Twice an equal share, in the step with the fewest honest visitors.
      expect(flooded.visitorShareMax).toBeLessThan(0.5);
      expect(movement(honest.pulls, flooded.pulls)).toBeLessThan(BOUND);
      expect(flooded.success).toBeGreaterThan(honest.success - 0.05);
    },
  );

  test("control: without a cap on one visitor, the same flood moves the policy beyond the bound", async () => {
    const flooded = await among({ flood: 3 });
    expect(flooded.visitorShareMax).toBeGreaterThan(0.5);
    expect(movement(honest.pulls, flooded.pulls)).toBeGreaterThan(5 * BOUND);
    expect(flooded.success).toBeLessThan(honest.success - 0.3);
  });

  test("twelve names on one network move the policy less than the bound", async () => {
    const flooded = await among({ flood: 3, names: 12, visitorShare: SHARE, networkShare: SHARE });
    // Twice an equal share, in the step with the fewest honest networks.
    expect(flooded.networkShareMax).toBeLessThan(0.5);
    expect(movement(honest.pulls, flooded.pulls)).toBeLessThan(BOUND);
    expect(flooded.success).toBeGreaterThan(honest.success - 0.05);
  });

  test("control: without a cap on one network, twelve names move the policy beyond the bound", async () => {
    const flooded = await among({ flood: 3, names: 12, visitorShare: SHARE });
    expect(movement(honest.pulls, flooded.pulls)).toBeGreaterThan(BOUND);
  });

  test("the caps cost honest visitors nothing", async () => {
    const capped = await among({ visitorShare: SHARE, networkShare: SHARE });
    expect(capped.success).toBeGreaterThan(honest.success - 0.02);
  });
});
