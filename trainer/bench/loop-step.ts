/**
 * The loop's learning step on two engines, by turns, on the same groups:
 * `node --conditions=source trainer/bench/loop-step.ts '<LoopStepOptions as JSON>'` prints a LoopStep
 * as JSON. The groups are training tasks of the shop as the nano model plays them, as an edge would
 * lease them; gradients are compared before anything is timed.
 */
import { join } from "node:path";
import type { EngineDevice } from "@waggle/engine";
import type { TensorMap, TrainEngine } from "@waggle/protocol";
import { readBaseModel } from "../src/model/base-model.ts";
import { edgeRecipeNamed } from "../src/recipes/edge-recipe.ts";
import type { LearnableGroup } from "../src/check/learnable-group.ts";
import { learningStep } from "../src/update/learning-step.ts";
import { openEngine } from "../src/model/open-model.ts";
import { LOG_PROB_BAND } from "../src/check/trajectory-check.ts";
import { playGroups } from "./played-groups.ts";

export type LoopStepOptions = {
  readonly devices: readonly [EngineDevice, EngineDevice];
  readonly threads: number;
  readonly groups: number;
  readonly rounds: number;
};

export type LoopStep = {
  /** Given and sampled tokens of one step. */
  readonly tokens: number;
  readonly trajectories: number;
  /** Of the second engine against the first: norm of the difference by the norm, the worst matrix. */
  readonly gradientError: number;
  readonly engines: readonly {
    readonly device: string;
    readonly milliseconds: readonly number[];
  }[];
};

/** As the trainer's defaults have it. */
const ADAPTER = { rank: 16, alpha: 32, seed: 1 };
const MICROBATCH_TOKENS = 4096;
const LEARNING_RATE = 2e-3;
/** Steps shorter than this are taken several times a round. */
const ROUND_MILLISECONDS = 1000;

/**
 * Gradients of the mean log-probability of all tokens. Not those of the step's loss, nor of what was
 * sampled alone: there the terms nearly cancel, and what is left of a small matrix is rounding in both engines.
 */
async function gradientsOf(
  engine: TrainEngine,
  groups: readonly LearnableGroup[],
): Promise<TensorMap> {
  const sequences = groups.flatMap(({ trajectories }) =>
    trajectories.flatMap(({ trajectory }) => trajectory.samples.map(({ sequence }) => sequence)),
  );
  const tokens = sequences.reduce((sum, { tokenIds }) => sum + tokenIds.length, 0);
  const logProb = sequences.map(({ tokenIds }) =>
    new Float32Array(tokenIds.length).fill(1 / tokens),
  );
  await engine.backward({ sequences }, { logProb });
  const gradients = await engine.gradients();
  // Drops them; at this rate no parameter moves.
  await engine.optimStep({ learningRate: 0 });
  return gradients;
}

function worstError(actual: TensorMap, expected: TensorMap): number {
  let worst = 0;
  for (const [name, { data }] of expected) {
    const other = actual.get(name)?.data ?? [];
    let [difference, square] = [0, 0];
    for (const [i, value] of data.entries()) {
      difference += (value - (other[i] ?? Number.NaN)) ** 2;
      square += value ** 2;
    }
    worst = Math.max(worst, Math.sqrt(difference / square));
  }
  return worst;
}

async function measure(options: LoopStepOptions): Promise<LoopStep> {
  const model = await readBaseModel(join(import.meta.dirname, "../../packages/model/nano"));
  const recipe = edgeRecipeNamed("dr-grpo-tis", { learningRate: () => LEARNING_RATE });
  const coming = { step: 0, band: LOG_PROB_BAND.max };
  const waiting = await playGroups(model, recipe, options.groups, coming);
  const { groups } = waiting;
  const step = (engine: TrainEngine) =>
    learningStep(engine, recipe, waiting, {
      ...coming,
      microbatchTokens: MICROBATCH_TOKENS,
      shuffleAdvantages: null,
    });
  const engines: TrainEngine[] = [];
  for (const device of options.devices) {
    engines.push(await openEngine(model, device, ADAPTER, { threads: options.threads }));
  }
  const [first, second] = engines as [TrainEngine, TrainEngine];
  // A fresh adapter has gradients in one of its two matrices only.
  const { metrics } = await step(first);
  await second.load(await first.save());
  const expected = await gradientsOf(first, groups);
  const gradientError = worstError(await gradientsOf(second, groups), expected);
  const timed = engines.map((engine) => ({ engine, milliseconds: [] as number[] }));
  for (let round = 0; round < options.rounds; round += 1) {
    for (const { engine, milliseconds } of timed) {
      const began = performance.now();
      while (performance.now() - began < ROUND_MILLISECONDS) {
        const at = performance.now();
        await step(engine);
        milliseconds.push(performance.now() - at);
      }
    }
  }
  const result = {
    tokens: metrics["trainedTokens"] ?? Number.NaN,
    trajectories: metrics["trajectories"] ?? Number.NaN,
    gradientError,
    engines: timed.map(({ engine, milliseconds }) => {
      return { device: engine.capabilities().device, milliseconds };
    }),
  };
  for (const engine of engines) await engine.dispose();
  return result;
}

const [, , argument = ""] = process.argv;
const options = JSON.parse(argument) as LoopStepOptions;
process.stdout.write(`${JSON.stringify(await measure(options))}\n`);
