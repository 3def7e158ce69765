/** The parameters that a critic's loss changes. */
import { environmentNamed } from "@waggle/environments";
import { type CreateRecipe, recipe, rewardStage } from "@waggle/learning";
import * as parts from "@waggle/learning/parts";
import { VALUE_HEAD } from "@waggle/model";
import { afterEach, beforeEach, expect, test } from "vitest";
import { actedEnvironment, tinyEngines, updateOnce } from "./recipe-update.fixture.ts";

const CRITIC_ALONE: CreateRecipe = recipe({
  name: "critic-alone",
  literature: "RL4VLM",
  differs: ["nothing but the critic learns"],
  schedule: ["one"],
  settings: {},
  stages: () => [
    rewardStage({
      rollout: parts.single(),
      reward: parts.outcome(),
      advantage: parts.gae(),
      losses: [parts.critic()],
      state: { critic: parts.valueHead },
    }),
  ],
});

let engines: Awaited<ReturnType<typeof tinyEngines>>;
beforeEach(async () => {
  engines = await tinyEngines();
});
afterEach(() => engines.dispose());

test("a critic's loss changes its heads and leaves the decoder to the policy", async () => {
  const before = await engines.engine.parameters();
  await updateOnce(CRITIC_ALONE(), await actedEnvironment(environmentNamed("calculator")), engines);
  const moved = new Set<string>();
  for (const [name, { data }] of await engines.engine.parameters()) {
    if (data.some((value, i) => value !== before.get(name)?.data[i])) moved.add(name);
  }
  expect(moved).toEqual(new Set(Object.values(VALUE_HEAD)));
});
