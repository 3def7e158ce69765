/** Learning from rewards of pages, over the edge of the loop's fixture. */
import { adapterOf } from "../update/adapter-tensors.ts";
import { readSafetensors } from "@waggle/model";
import { edgeRecipeNamed } from "../recipes/edge-recipe.ts";
import { constantRate, withPerturbation } from "@waggle/learning";
import {
  type PageReward,
  type Perturbation,
  seededRandom,
  type TensorMap,
  WaggleError,
} from "@waggle/protocol";
import { afterEach, expect, test } from "vitest";
import type { EdgeClient } from "../edge/edge-client.ts";
import {
  createSetup,
  Killed,
  Killer,
  live,
  removeSetups,
  type RunOptions,
  type Setup,
} from "./training-loop.fixture.ts";
import { tinyEngine } from "./training.fixture.ts";

afterEach(removeSetups);

/** 32 perturbations of 1 task each are one step. */
const recipe = edgeRecipeNamed("evolution-strategies", {
  learningRate: constantRate(0.05),
  own: { perturbations: 32, tasks: 1 },
});

/** What the pages' tasks reward: the sum of the numbers of B. */
const sumOfB = (tensors: TensorMap): number =>
  [...tensors]
    .filter(([name]) => name.includes("lora_B"))
    .reduce((sum, [, { data }]) => sum + data.reduce((a, b) => a + b, 0), 0);

/** Pages that add perturbations to a version's published adapter, and send the rewards that `rewardOf` gives. */
function withPages(
  setup: Setup,
  count: (version: number) => number,
  rewardOf: (tensors: TensorMap) => number,
): (client: EdgeClient) => EdgeClient {
  return (client) => ({
    ...client,
    rewards: async (version) => {
      const adapter = setup.edge.policies[version]?.adapter;
      if (adapter == null) return { rewards: [] };
      const { tensors } = readSafetensors(setup.edge.objects.get(adapter.sha256) as Uint8Array);
      const rewards = Array.from({ length: count(version) }, (_, i): PageReward => {
        const direction = i % 2 === 0 ? 1 : -1;
        const perturbation: Perturbation = {
          policyVersion: version,
          seed: version * 1000 + (i >> 1),
          direction,
          scale: 0.1,
        };
        return {
          assignmentId: `task ${version} ${i}`,
          visitorId: `visitor ${i % 16}`,
          network: `network ${i % 16}`,
          perturbation,
          reward: rewardOf(withPerturbation(tensors, perturbation)),
        };
      });
      return { rewards, withheld: 3 };
    },
  });
}

const likesB = (tensors: TensorMap): number => 1 / (1 + Math.exp(-sumOfB(tensors)));

const run = (setup: Setup, options: RunOptions): ReturnType<typeof live> =>
  live(setup, { recipe, evaluate: async () => [true, true], ...options });

test("a site without an adapter gets one that changes nothing, and steps then follow the rewards", async () => {
  const setup = await createSetup([]);
  const { summary } = await run(setup, {
    edgeClient: withPages(setup, () => 32, likesB),
    maxSteps: 6,
  });
  expect(summary.stoppedBy).toBe("max-steps");
  const sums: number[] = [];
  for (const { adapter } of setup.edge.policies.slice(1)) {
    const bytes = setup.edge.objects.get(adapter?.sha256 ?? "") as Uint8Array;
    sums.push(sumOfB(readSafetensors(bytes).tensors));
  }
  const engine = await tinyEngine();
  expect(sums[0]).toBe(sumOfB(adapterOf(await engine.parameters())));
  await engine.dispose();
  // Every step is published, although other recipes of this fixture publish every second one.
  expect(sums).toHaveLength(7);
  expect(sums).toEqual(sums.toSorted((a, b) => a - b));
  expect(sums.at(-1)).toBeGreaterThan((sums[0] as number) + 0.5);
  expect(setup.edge.stable).toBe(7);
});

test("at an edge that does not collect rewards, nothing is published", async () => {
  const setup = await createSetup([]);
  const before = setup.edge.policies.length;
  const refused = run(setup, {
    edgeClient: (plain) => ({
      ...plain,
      rewards: async () => {
        throw new WaggleError("FORBIDDEN", "this site does not collect rewards");
      },
    }),
  });
  await expect(refused).rejects.toMatchObject({ code: "FORBIDDEN" });
  expect(setup.edge.policies).toHaveLength(before);
});

test("a step that takes more rewards than an edge lists is refused at the start", async () => {
  const setup = await createSetup([]);
  const own = { perturbations: 1024, tasks: 5 };
  const large = edgeRecipeNamed("evolution-strategies", { learningRate: constantRate(0.05), own });
  const refused = run(setup, { recipe: large, edgeClient: withPages(setup, () => 32, likesB) });
  await expect(refused).rejects.toThrow(/takes 5120 rewards, and an edge lists 4096/);
});

test("control: rewards that do not depend on the perturbation lead nowhere in particular", async () => {
  const setup = await createSetup([]);
  const random = seededRandom(5);
  const { parameters } = await run(setup, {
    edgeClient: withPages(
      setup,
      () => 32,
      () => random(),
    ),
    maxSteps: 6,
  });
  const liked = await createSetup([]);
  const { parameters: learned } = await run(liked, {
    edgeClient: withPages(liked, () => 32, likesB),
    maxSteps: 6,
  });
  expect(Math.abs(sumOfB(parameters))).toBeLessThan(sumOfB(learned) / 2);
});

test("equal rewards are no step, and few rewards are waited for", async () => {
  const setup = await createSetup([]);
  for (const [count, rewardOf] of [
    [() => 32, () => 1],
    [() => 31, likesB],
  ] as const) {
    const { summary } = await run(setup, { edgeClient: withPages(setup, count, rewardOf) });
    expect(summary).toMatchObject({ stoppedBy: "idle", state: { step: 0, stableVersion: 1 } });
  }
});

test("after a candidate that was not promoted, the next step waits for as many rewards again and uses all", async () => {
  const setup = await createSetup([]);
  const stepped: number[] = [];
  const withheld: number[] = [];
  // Eight more rewards each time the trainer asks.
  let count = 24;
  const { summary } = await run(setup, {
    edgeClient: (plain) => {
      const paged = withPages(setup, () => (count += 8), likesB)(plain);
      const postMetrics: EdgeClient["postMetrics"] = (rows) => {
        stepped.push(...rows.map(({ metrics }) => metrics["rewards"] ?? 0));
        withheld.push(...rows.map(({ metrics }) => metrics["rewardsWithheld"] ?? 0));
        return plain.postMetrics(rows);
      };
      return { ...paged, postMetrics };
    },
    mayPromote: () => setup.edge.stable === 0,
    maxSteps: 3,
  });
  expect(summary.state.stableVersion).toBe(1);
  expect(stepped).toEqual([32, 64, 96]);
  expect(withheld).toEqual([3, 3, 3]);
  // The engine has the stable version's parameters again, and no step was added to another one.
  const distances: number[] = [];
  for (const { adapter } of setup.edge.policies.slice(2)) {
    const bytes = setup.edge.objects.get(adapter?.sha256 ?? "") as Uint8Array;
    distances.push(sumOfB(readSafetensors(bytes).tensors));
  }
  expect(distances).toHaveLength(3);
  expect(Math.max(...distances)).toBeLessThan(2 * Math.min(...distances));
});

test("a candidate is made of the newest rewards if the edge does not list the oldest any more", async () => {
  const setup = await createSetup([]);
  const stepped: number[] = [];
  let count = 24;
  const { summary } = await run(setup, {
    edgeClient: (plain) => {
      const paged = withPages(setup, () => (count += 8), likesB)(plain);
      const rewards: EdgeClient["rewards"] = async (version) => ({
        rewards: (await paged.rewards(version)).rewards.slice(-40),
      });
      const postMetrics: EdgeClient["postMetrics"] = (rows) => {
        stepped.push(...rows.map(({ metrics }) => metrics["rewards"] ?? 0));
        return plain.postMetrics(rows);
      };
      return { ...paged, rewards, postMetrics };
    },
    mayPromote: () => setup.edge.stable === 0,
    maxSteps: 3,
  });
  expect(summary).toMatchObject({ stoppedBy: "max-steps", state: { stableVersion: 1 } });
  expect(stepped).toEqual([32, 40, 40]);
});

test("after a change of the noise scale, a step waits for enough rewards of the new one", async () => {
  const setup = await createSetup([]);
  const stepped: number[] = [];
  let count = 24;
  await run(setup, {
    edgeClient: (plain) => {
      const paged = withPages(setup, () => (count += 8), likesB)(plain);
      const rewards: EdgeClient["rewards"] = async (version) => ({
        rewards: (await paged.rewards(version)).rewards.map((one, i) => ({
          ...one,
          perturbation: { ...one.perturbation, scale: i < 20 ? 0.5 : 0.1 },
        })),
      });
      const postMetrics: EdgeClient["postMetrics"] = (rows) => {
        stepped.push(...rows.map(({ metrics }) => metrics["rewards"] ?? 0));
        return plain.postMetrics(rows);
      };
      return { ...paged, rewards, postMetrics };
    },
    maxSteps: 1,
  });
  // The first list has 12 rewards of the new scale, and each further one has eight more.
  expect(stepped).toEqual([36]);
});

test("a killed trainer repeats its step from the same rewards, and ends with the same parameters", async () => {
  const client = (setup: Setup) => withPages(setup, () => 32, likesB);
  const whole = await createSetup([]);
  const { parameters } = await run(whole, { edgeClient: client(whole), maxSteps: 2 });
  const setup = await createSetup([]);
  for (let at = 6; at < 60; at += 9) {
    await run(setup, {
      edgeClient: client(setup),
      killer: new Killer(at, at % 2 === 0),
      maxSteps: 2,
    }).catch((error: unknown) => {
      if (!(error instanceof Killed)) throw error;
    });
  }
  const { summary, parameters: resumed } = await run(setup, {
    edgeClient: client(setup),
    maxSteps: 2,
  });
  expect(summary.state).toMatchObject({ step: 2, stableVersion: 3 });
  expect(resumed).toEqual(parameters);
});
