/**
 * Models trained beside the policy: a reward model learns, and each role changes only its own
 * tokens.
 */
import { environmentNamed } from "@waggle/environments";
import {
  type JudgedTrajectory,
  rewardModelStage,
  type Stage,
  tokenOwners,
  type TokenRows,
} from "@waggle/learning";
import * as parts from "@waggle/learning/parts";
import type { TrainEngine } from "@waggle/protocol";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { seededRandom } from "@waggle/protocol";
import { demonstrations } from "../rollouts/demonstration.ts";
import { modelPorts } from "../update/model-ports.ts";
import { type ActedEnvironment, actedEnvironment, tinyEngines } from "./recipe-update.fixture.ts";
import { roleEngine } from "../update/role-engine.ts";
import { RoleStore } from "../loop/role-store.ts";
import { updateStage } from "../update/stage-update.ts";

let engines: Awaited<ReturnType<typeof tinyEngines>>;
let acted: ActedEnvironment;
const { signal } = new AbortController();

beforeAll(async () => {
  acted = await actedEnvironment(environmentNamed("calculator"));
});
beforeEach(async () => {
  engines = await tinyEngines();
});
afterEach(() => engines.dispose());

async function demonstrated(seed: number, count: number): Promise<JudgedTrajectory[]> {
  const { spec } = acted;
  const tasks = Array.from({ length: count }, (_, i) =>
    spec.reference(seed + i * 977, "train", i % spec.levels),
  );
  return demonstrations(acted, tasks, 0.5, seed);
}

/** Probability that a success has a higher reward than a failure. */
async function rankedRight(
  engine: TrainEngine,
  trajectories: readonly JudgedTrajectory[],
): Promise<number> {
  const { rm } = modelPorts(new Map([["rm", engine]]), undefined);
  const said = (await rm?.(trajectories)) ?? [];
  const values = (success: boolean): number[] =>
    said.flatMap((turns, i) =>
      trajectories[i]?.verification.success === success ? [turns.at(-1) ?? 0] : [],
    );
  const [better, worse] = [values(true), values(false)];
  expect(Math.min(better.length, worse.length)).toBeGreaterThan(4);
  const right = better.flatMap((a) => worse.map((b): number => (a > b ? 1 : 0)));
  return right.reduce((sum, value) => sum + value, 0) / right.length;
}

test("a reward model fitted to outcomes distinguishes unseen successes and failures", async () => {
  const stage = rewardModelStage({
    rollout: parts.demos(),
    reward: parts.outcome(),
    losses: [parts.outcomeRegression("end")],
    state: { rm: parts.rewardModelState },
  });
  const heldOut = await demonstrated(50_000, 40);
  const before = await rankedRight(engines.engine, heldOut);
  const models = new Map([["rm", engines.engine]]);
  for (let step = 0; step < 25; step += 1) {
    const groups = (await demonstrated(step * 31_013, 24)).map((trajectory) => ({
      task: trajectory.id,
      trajectories: [trajectory],
    }));
    const context = { step, steps: 25, random: seededRandom(step), state: {}, ports: {}, signal };
    // The policy is another engine, which does not change.
    await updateStage(engines.reference, stage, groups, context, { models }, signal);
  }
  const after = await rankedRight(engines.engine, heldOut);
  expect(after).toBeGreaterThan(0.85);
  expect(after).toBeGreaterThan(before);
});

test("a role's tokens belong to its engine and change that engine alone", async () => {
  const [trajectory] = (await demonstrated(7, 12)).filter(({ turns }) => turns.length > 1);
  if (trajectory === undefined) throw new Error("no trajectory of two turns");
  const shared: JudgedTrajectory = {
    ...trajectory,
    turns: trajectory.turns.map((turn, i) => ({ ...turn, role: i === 0 ? "first" : "rest" })),
  };
  const owners = [tokenOwners({ ...shared, role: "rest" }, 0)];
  const roles = new Map([
    ["first", engines.engine],
    ["rest", engines.reference],
  ]);
  const sequences = [trajectory.samples[0]?.sequence ?? { tokenIds: [] }];
  const batch = { sequences };
  const engine = roleEngine(roles, owners, ["first"]);
  const { logProb } = await engine.forward(batch);
  const own = {
    first: (await engines.engine.forward(batch)).logProb[0] ?? [],
    rest: (await engines.reference.forward(batch)).logProb[0] ?? [],
  };
  for (const [t, owner] of (owners[0] ?? []).entries()) {
    expect(logProb[0]?.[t]).toBe(own[owner as "first" | "rest"][t]);
  }
  expect(engine.learners).toEqual([engines.engine]);

  const derivatives: TokenRows = [new Float32Array(logProb[0]?.length ?? 0).fill(-1)];
  await engine.backward(batch, { logProb: derivatives as readonly Float32Array[] });
  const moved = await engines.engine.gradients();
  // Computed by hand: only the gradients of its own tokens.
  const mine = Float32Array.from(owners[0] ?? [], (owner) => (owner === "first" ? -1 : 0));
  await engines.engine.optimStep({ learningRate: 0 });
  await engines.engine.backward(batch, { logProb: [mine] });
  const byHand = await engines.engine.gradients();
  await engines.engine.optimStep({ learningRate: 0 });
  for (const [name, { data }] of moved) expect(data).toEqual(byHand.get(name)?.data);
  for (const { data } of (await engines.reference.gradients()).values()) {
    expect(data.every((value) => value === 0)).toBe(true);
  }
  expect(() => roleEngine(new Map([["first", engines.engine]]), owners, [])).toThrow(/rest/);
});

test("a copy starts equal to its source, and an average follows by its share", async () => {
  const models = new Map([["slow", engines.reference]]);
  const roleStore = new RoleStore({
    policy: acted.policy,
    format: acted.format,
    models,
    adapterShape: { rank: 1, alpha: 1 },
  });
  const roles = {
    names: ["slow"],
    learn: [],
    copies: { slow: "policy" },
    averages: { slow: 0.75 },
  };
  const stage = { state: { "slow-copy": { ...parts.averagedCopy(), roles } } } as unknown as Stage;
  await roleStore.begin(stage, engines.engine, {});
  const [name = ""] = (await engines.engine.parameters()).keys();
  const numbers = async (engine: TrainEngine): Promise<Float32Array> =>
    (await engine.parameters()).get(name)?.data ?? new Float32Array();
  const start = await numbers(engines.reference);
  expect(start).toEqual(await numbers(engines.engine));

  const [{ samples } = { samples: [] }] = await demonstrated(3, 1);
  const sequences = samples.map(({ sequence }) => sequence);
  const logProb = sequences.map(({ tokenIds }) => new Float32Array(tokenIds.length).fill(-1));
  await engines.engine.backward({ sequences }, { logProb });
  await engines.engine.optimStep({ learningRate: 0.01 });
  await roleStore.learned(stage, engines.engine);
  const [now, slow] = [await numbers(engines.engine), await numbers(engines.reference)];
  expect(now).not.toEqual(start);
  for (const [i, value] of slow.entries()) {
    expect(value).toBeCloseTo(0.75 * (start[i] ?? 0) + 0.25 * (now[i] ?? 0), 6);
  }
});
