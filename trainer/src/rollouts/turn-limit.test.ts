/**
 * The turn limit applies to every rollout: in steps, single turns, held-out evaluation, and as in a
 * page.
 */
import { judgedRollout } from "@waggle/agent/environments";
import { SHOP } from "@waggle/demo/environment";
import type { EnvironmentSpec } from "@waggle/environments";
import type { RolloutStrategy } from "@waggle/learning";
import { group } from "@waggle/learning/parts";
import { FULL_SUPPORT, type Trajectory } from "@waggle/protocol";
import { notedSingle } from "../../../packages/learning/src/rollouts/folded.ts";
import type { AdaptivePolicy } from "@waggle/runtime/node";
import type { ChatFormat } from "@waggle/text";
import { afterAll, beforeAll, expect, test } from "vitest";
import { evaluateHeldOut } from "../evaluation/held-out.ts";
import { frozenTasksName } from "../evaluation/frozen-tasks.ts";
import { readBaseModel } from "../model/base-model.ts";
import { NANO_MODEL } from "../model/shipped-models.ts";
import { openPolicy } from "../model/open-model.ts";
import { FIRST_STEP } from "./part-context.fixture.ts";
import { rolledOut } from "./rollout-driver.ts";
import { requireTurnTokens } from "./turn-limit.ts";

const { signal } = new AbortController();
const spec = SHOP;
let acted: { policy: AdaptivePolicy; format: ChatFormat; spec: EnvironmentSpec };
beforeAll(async () => {
  const model = await readBaseModel(NANO_MODEL);
  acted = { policy: await openPolicy(model, 1), format: model.format, spec };
});
afterAll(() => acted.policy.dispose());

const limited = (maxTurnTokens: number): EnvironmentSpec => ({ ...spec, maxTurnTokens });

/** The largest number of tokens sampled in one turn. */
function longest(records: readonly Trajectory[]): number {
  const segments = records.flatMap((record) => record.segments);
  return Math.max(
    ...segments.map(({ kind, tokenIds }) => (kind === "sampled" ? tokenIds.length : 0)),
  );
}

async function longestOf(strategy: RolloutStrategy, limited: EnvironmentSpec): Promise<number> {
  const tasks = [1, 2, 3].map((i) => spec.reference(i * 911, "train", 0));
  const options = { sampling: FULL_SUPPORT, seed: 3, staleness: 0 };
  const groups = await rolledOut(strategy, tasks, [], { ...acted, spec: limited, signal }, options);
  return longest(groups.flatMap(({ trajectories }) => trajectories.map(({ record }) => record)));
}

test.each<RolloutStrategy>([group(2).strategy(FIRST_STEP), notedSingle().strategy(FIRST_STEP)])(
  "rollouts of a step are cut at the limit: $name",
  async (strategy) => {
    expect(await longestOf(strategy, limited(3))).toBe(3);
    const free = await longestOf(strategy, spec);
    expect(free).toBeGreaterThan(3);
    expect(free).toBeLessThanOrEqual(128);
  },
);

test("held-out rollouts are cut at the limit", async () => {
  const means = await Promise.all(
    [limited(2), spec].map(async (one) => {
      const { sampledTokensMean } = await evaluateHeldOut({ ...acted, spec: one, signal }, 4);
      return sampledTokensMean;
    }),
  );
  expect(means[0]).toBeLessThanOrEqual(2 * spec.maxTurns);
  expect(means[1]).toBeGreaterThan(means[0] as number);
});

test("rollouts as in a page are cut at the limit, and their evaluation has another name", async () => {
  const task = spec.reference(7, "heldOut", 0);
  const parts = {
    policy: acted.policy,
    format: acted.format,
    sampling: FULL_SUPPORT,
    environments: [SHOP],
  };
  const { record } = await judgedRollout({ ...parts, turnTokens: 2 }, task, 5, signal);
  expect(longest([record])).toBe(2);
  const tasks = { environment: "shop", start: 0, count: 4, seed: 1 };
  const name = "shop/heldOut/0+4/seed-1";
  expect(frozenTasksName(tasks)).toBe(`${name}/constrained-calls`);
  const free = { ...tasks, constrainToolCalls: false };
  expect(frozenTasksName(free)).toBe(name);
  expect(frozenTasksName({ ...free, turnTokens: 64 })).toBe(`${name}/turn-64`);
});

test("a limit that leaves no room for a prompt is refused", () => {
  expect(() => requireTurnTokens(512, 512)).toThrow(/--turn-tokens 512 leaves no room .* of 512/);
  expect(() => requireTurnTokens(511, 512)).not.toThrow();
  expect(() => requireTurnTokens(undefined, 1)).not.toThrow();
});
