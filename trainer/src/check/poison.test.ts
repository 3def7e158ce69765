/**
 * A third of each group is forged, by a fifth of the visitors, or one floods with rollouts that hold before every check: the policy moves no
 * further from what honest visitors alone teach than a bound. Each defence has its control without it.
 */
import { beforeAll, describe, expect, test } from "vitest";
import type { BaseModel } from "../model/base-model.ts";
import { banditBase } from "../pretrain/bandit-base.fixture.ts";
import { type Hostility, type Learned, learnAmong, movement } from "./poison.fixture.ts";

/**
 * Nats, the mean over held-out tasks. Of seeds 1 to 8 the furthest flood came to 0.05 with the bound on one
 * visitor, the nearest without it to 0.59. At twice the learning rate one of six broke it: it is no bound on
 * a step that is too large.
 */
const BOUND = 0.1;
const SHARE = 0.1;

let base: BaseModel;
beforeAll(async () => {
  base = await banditBase();
});

describe.each([1, 2])("seed %i", (seed) => {
  let honest: Learned;
  const among = (hostility: Hostility): Promise<Learned> => learnAmong(base, seed, hostility);
  beforeAll(async () => {
    honest = await among({});
  });

  test("honest visitors alone teach the best levers", () => {
    // Two in three is what the base knows.
    expect(honest.success).toBeGreaterThan(0.75);
  });

  test("what is forged is refused and changes not one number", async () => {
    const forged = await among({ forgers: 3 });
    expect(forged.outcomes.get("log-prob-gap")).toBeGreaterThan(200);
    expect(forged.parameters).toEqual(honest.parameters);
  });

  test("the control: believed, the same moves the policy beyond the bound", async () => {
    const believed = await among({ forgers: 3, believes: true });
    expect(movement(honest.pulls, believed.pulls)).toBeGreaterThan(5 * BOUND);
    expect(believed.success).toBeLessThan(honest.success - 0.3);
  });

  test.each([3, 9])(
    "a flood of %i chosen groups a step moves it within the bound",
    async (flood) => {
      const flooded = await among({ flood, visitorShare: SHARE });
      // Twice an equal share, where fewest honest visitors had something to say.
      expect(flooded.visitorShareMax).toBeLessThan(0.5);
      expect(movement(honest.pulls, flooded.pulls)).toBeLessThan(BOUND);
      expect(flooded.success).toBeGreaterThan(honest.success - 0.05);
    },
  );

  test("the control: without a bound on one visitor the same flood moves it beyond", async () => {
    const flooded = await among({ flood: 3 });
    expect(flooded.visitorShareMax).toBeGreaterThan(0.5);
    expect(movement(honest.pulls, flooded.pulls)).toBeGreaterThan(5 * BOUND);
    expect(flooded.success).toBeLessThan(honest.success - 0.3);
  });

  test("the limit: who comes as twelve visitors is not bounded as one", async () => {
    const flooded = await among({ flood: 3, names: 12, visitorShare: SHARE });
    expect(movement(honest.pulls, flooded.pulls)).toBeGreaterThan(BOUND);
  });
});
