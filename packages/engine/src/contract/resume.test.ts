/**
 * Training resumed from a file equals uninterrupted training bit for bit: parameters and both moments,
 * after warm-up, clipping and decay, saved as safetensors and loaded into a new engine.
 */
import { initializeAdapter, readSafetensors, writeSafetensors } from "@waggle/model";
import type { EngineCheckpoint, TrainEngine } from "@waggle/protocol";
import { expect, onTestFinished, test } from "vitest";
import { sampleSize, skipOutside } from "../../../../test/fixtures/long.ts";
import { createOnnxEngine } from "../onnx/onnx-engine.ts";
import {
  loudAdapter,
  loudWeights,
  randomDerivatives,
  TINY,
  variedSequences,
} from "./train-engine.fixture.ts";

const STEPS = [1, 2, 3, 4, 5, 6];
const sequences = variedSequences(TINY);

async function learn(engine: TrainEngine, steps: readonly number[]): Promise<void> {
  for (const step of steps) {
    for (const half of [sequences.slice(0, 1), sequences.slice(1)]) {
      await engine.backward(
        { sequences: half },
        {
          logProb: randomDerivatives(half, step),
          entropy: randomDerivatives(half, 100 + step),
        },
      );
    }
    await engine.optimStep({
      learningRate: 0.01 * Math.min(1, step / 4),
      weightDecay: 0.01,
      maxGradientNorm: 0.5,
    });
  }
}

function fileOf({ step, tensors }: EngineCheckpoint): Uint8Array {
  return writeSafetensors(tensors, { step: String(step) });
}

function checkpointOf(bytes: Uint8Array): EngineCheckpoint {
  const { tensors, metadata } = readSafetensors(bytes);
  return { step: Number(metadata["step"]), tensors };
}

test.for([
  ["lora", "none"],
  ["lora", "layer"],
  ["full", "none"],
  ["full", "layer"],
] as const)(
  "%s, checkpointing %s: saving halfway and resuming in a new engine changes no bit",
  async ([trains, checkpointing], context) => {
    skipOutside((trains === "lora") === (checkpointing === "layer"), context);
    const open = async (isFresh: boolean): Promise<TrainEngine> => {
      const adapter = isFresh
        ? initializeAdapter(TINY, { rank: 3, alpha: 6, seed: 99 })
        : loudAdapter(TINY);
      const engine = await createOnnxEngine({
        config: TINY,
        weights: loudWeights(TINY),
        trains,
        checkpointing,
        device: "cpu",
        threads: sampleSize(1, 2),
        maxMicrobatchTokens: 16,
        ...(trains === "lora" ? { adapter } : {}),
      });
      onTestFinished(() => engine.dispose());
      return engine;
    };
    const straight = await open(false);
    await learn(straight, STEPS);
    const whole = fileOf(await straight.save());

    const first = await open(false);
    await learn(first, STEPS.slice(0, 3));
    const saved = fileOf(await first.save());
    const second = await open(true);
    await second.load(checkpointOf(saved));
    await learn(second, STEPS.slice(3));
    expect(Buffer.compare(fileOf(await second.save()), whole)).toBe(0);

    // control: parameters alone are not enough to resume
    const { step, tensors } = checkpointOf(saved);
    const forgotten = new Map(
      Array.from(tensors, ([name, { shape, data }]) => [
        name,
        { shape, data: name.startsWith("parameters/") ? data : data.map(() => 0) },
      ]),
    );
    const third = await open(true);
    await third.load({ step, tensors: forgotten });
    await learn(third, STEPS.slice(3));
    expect(Buffer.compare(fileOf(await third.save()), whole)).not.toBe(0);
  },
);
