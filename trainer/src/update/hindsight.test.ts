/** A step of the recipes that read corrections, on a tiny decoder and random records. */
import { constantRate, type PartPorts } from "@waggle/learning";
import { afterAll, expect, test } from "vitest";
import { learnableTrajectory } from "../check/learnable-group.ts";
import { learnFrom, randomTrajectory, tinyEngine } from "../edge-training/training.fixture.ts";
import { edgeRecipeNamed } from "../recipes/edge-recipe.ts";

const engines = [await tinyEngine(), await tinyEngine(), await tinyEngine()];
afterAll(async () => {
  for (const engine of engines) await engine.dispose();
});

const groups = Array.from({ length: 16 }, (_, i) => {
  const record = randomTrajectory(i);
  const parts = { message: "next-corrects", correction: "no" };
  const verification = { reward: 0, success: false, parts };
  const learnable = learnableTrajectory(record.id, record, verification);
  return { task: record.id, trajectories: [learnable] };
});
const samples = groups.flatMap(({ trajectories }) =>
  trajectories.flatMap(({ trajectory }) => trajectory.samples),
);
/** Two tokens after the request. */
const hinted: NonNullable<PartPorts["hinted"]> = ({ samples: [sample] }) => {
  const tokenIds = [...(sample?.sequence.tokenIds ?? [])];
  tokenIds.splice(5, 0, 7, 9);
  return { sequence: { tokenIds }, at: 5, count: 2 };
};
const answers = async (engine: (typeof engines)[number], isHinted: boolean) => {
  const sequences = samples.map(({ sequence: { tokenIds } }) => ({
    tokenIds: isHinted ? [...tokenIds.slice(0, 5), 7, 9, ...tokenIds.slice(5)] : tokenIds,
  }));
  const { logProb } = await engine.forward({ sequences });
  return logProb.map((row) => Array.from(row.slice(-4)));
};

const step = (index: number, name: string, ports: Pick<PartPorts, "hinted">) =>
  learnFrom(
    engines[index]!,
    edgeRecipeNamed(name, { groupsPerStep: 16, learningRate: constantRate(0.005) }),
    groups,
    { step: 0, band: 1, microbatchTokens: 4096, shuffleAdvantages: null, ports },
  );

test("answers move toward what the policy says once it has read the correction", async () => {
  const [engine] = engines;
  const [before, teacher] = [await answers(engine!, false), await answers(engine!, true)];
  const { advantages } = await step(0, "openclaw-distill", { hinted });
  const after = await answers(engine!, false);
  const moved = before.flatMap((row, b) =>
    row.map((old, t) => ({
      gain: teacher[b]![t]! - old,
      change: after[b]![t]! - old,
    })),
  );
  const along = moved.reduce((sum, { gain, change }) => sum + gain * change, 0);
  expect(along).toBeGreaterThan(0);
  // The step reports the mean advantage of each record, which is the mean gain of its answer.
  for (const [b, { trajectories }] of groups.entries()) {
    const mean = teacher[b]!.reduce((sum, one, t) => sum + one - before[b]![t]!, 0) / 4;
    expect(advantages.get(trajectories[0]!.digest)).toBeCloseTo(mean, 4);
  }
});

test("a correction that fits into no prompt teaches nothing by distillation", async () => {
  const [, engine] = engines;
  const before = await answers(engine!, false);
  await step(1, "openclaw-distill", { hinted: () => null });
  expect(await answers(engine!, false)).toEqual(before);
});

test("the sum without hints is the reward alone", async () => {
  const { advantages } = await step(2, "openclaw-rl", { hinted: () => null });
  expect([...advantages.values()]).toEqual(groups.map(() => -1));
});

test("a recipe that reads corrections is refused where prompts cannot be rendered", async () => {
  await expect(step(2, "openclaw-rl", {})).rejects.toMatchObject({ code: "CAPABILITY_MISSING" });
});
