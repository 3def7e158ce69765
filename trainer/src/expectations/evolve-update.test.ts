/**
 * Evolution strategies: no gradient, one reward per perturbation, and the update follows the better
 * ones.
 */
import { perturbed, recipeNamed } from "@waggle/learning";
import type { JudgedGroup, Stage } from "@waggle/learning";
import type { Tensor, TensorMap } from "@waggle/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { evolve, type EvolvedStage } from "../update/evolve-update.ts";
import { FIRST_STEP } from "../rollouts/part-context.fixture.ts";
import { tinyEngines } from "./recipe-update.fixture.ts";

let engines: Awaited<ReturnType<typeof tinyEngines>>;

beforeEach(async () => {
  engines = await tinyEngines();
});
afterEach(() => engines.dispose());

const OPTIONS = { seed: 3, learningRate: 1e-3, context: FIRST_STEP };

/** A group whose single trajectory earned this reward. */
function earning(reward: number): JudgedGroup[] {
  const verification = { reward, success: reward > 0.5 };
  const trajectory = { id: "a", samples: [], turns: [], verification };
  return [{ task: "t", trajectories: [trajectory] } as unknown as JudgedGroup];
}

function evolved(settings: { readonly place?: string } = {}): EvolvedStage {
  const stage = recipeNamed("evolution-strategies")({ perturbations: 64, ...settings })
    .stages[0] as Stage;
  const { noise } = stage.rollout.strategy(FIRST_STEP);
  if (noise === undefined || stage.evolution === null) throw new Error("nothing to evolve");
  return { stage, evolution: stage.evolution, noise };
}

/** The reward increases or decreases with a single weight. */
function weightOf(parameters: TensorMap): number {
  const [first] = parameters.values();
  return first?.data[0] ?? Number.NaN;
}

test.each([1, -1])("parameters move in the direction of higher rewards, sign %i", async (sign) => {
  const { engine } = engines;
  const stage = evolved();
  const before = await engine.parameters();
  const seen: TensorMap[] = [];
  const act = async (parameters: TensorMap): Promise<JudgedGroup[]> => {
    seen.push(parameters);
    return earning(sign * (weightOf(parameters) - weightOf(before)));
  };
  const [first] = await evolve(engine, stage, act, OPTIONS);
  expect(seen).toHaveLength(64);
  // A perturbation is defined by its seed and direction.
  const again = perturbed(before, first?.seed ?? 0, stage.noise.scale);
  expect(weightOf(again)).toBe(weightOf(seen[0] as TensorMap));
  expect(sign * (weightOf(await engine.parameters()) - weightOf(before))).toBeGreaterThan(0);
});

test("an adapter's A and tensors outside the place are not perturbed, and a whole model is", () => {
  const [linear, rest] = ["base_model.model.model.layers.1.mlp.up_proj", "weight"];
  const { moves } = evolved({ place: "layers.1." }).noise;
  expect(moves(`${linear}.lora_B.${rest}`)).toBe(true);
  expect(moves(`${linear}.lora_A.${rest}`)).toBe(false);
  expect(moves(`${linear.replace("1", "0")}.lora_B.${rest}`)).toBe(false);
  expect(evolved().noise.moves("model.norm.weight")).toBe(true);
});

test("tensors that the noise does not select are neither perturbed nor changed", async () => {
  const { engine } = engines;
  const { noise, ...stage } = evolved();
  const before = await engine.parameters();
  const [first] = before.keys();
  const differs = ([name, { data }]: readonly [string, Tensor]): boolean =>
    data.some((value, i) => value !== before.get(name)?.data[i]);
  const act = async (parameters: TensorMap): Promise<JudgedGroup[]> => {
    expect([...parameters].filter(differs).map(([name]) => name)).toEqual([first]);
    return earning(weightOf(parameters) - weightOf(before));
  };
  const moves = (name: string): boolean => name === first;
  await evolve(engine, { ...stage, noise: { ...noise, moves } }, act, OPTIONS);
  expect([...(await engine.parameters())].filter(differs).map(([name]) => name)).toEqual([first]);
});

test("a place without tensors is refused before anything is perturbed", async () => {
  const act = async (): Promise<JudgedGroup[]> => {
    throw new Error("perturbed");
  };
  await expect(evolve(engines.engine, evolved({ place: "layer.1" }), act, OPTIONS)).rejects.toThrow(
    /moves none of the engine's \d+ tensors.*name a place/,
  );
});

test("equal rewards of all perturbations change nothing", async () => {
  const { engine } = engines;
  const before = await engine.parameters();
  await evolve(engine, evolved(), async () => earning(1), OPTIONS);
  expect([...(await engine.parameters()).values()]).toEqual([...before.values()]);
});
