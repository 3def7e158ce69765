/** Shared by tests of the remote engine: a server over the ONNX engine, tiny decoders. Tests only. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  adapterConfigJson,
  initializeAdapter,
  writeAdapter,
  writeSafetensors,
} from "@waggle/model";
import type { Adapter, DecoderConfig } from "@waggle/model";
import type { TensorMap, TrainEngine, TrainSequence } from "@waggle/protocol";
import { createTinkerServer } from "@waggle/testing/tinker-server";
import type { ExportFiles, TinkerServer, TinkerServerOptions } from "@waggle/testing/tinker-server";
import { expect, onTestFinished } from "vitest";
import { createOnnxEngine } from "../onnx/onnx-engine.ts";
import { loudWeights, randomDerivatives, TINY } from "../contract/train-engine.fixture.ts";
import { createRemoteEngine } from "./create-remote-engine.ts";
import type { RemoteEngineOptions } from "./create-remote-engine.ts";

/** The only alpha that SkyRL supports; open-rl takes any. */
export const ALPHA = 32;

export type ServedModel = {
  readonly config: DecoderConfig;
  readonly weights: TensorMap;
  readonly trains: "lora" | "full";
  /** The server's initial adapter. Default: a fresh one of the requested rank. */
  readonly adapter?: Adapter;
};

export const FLAVORS = ["skyrl", "open-rl"] as const;
export const MODEL: ServedModel = { config: TINY, weights: loudWeights(TINY), trains: "lora" };
/** One of them has nothing to predict. */
export const SEQUENCES: readonly TrainSequence[] = [
  { tokenIds: [3, 9, 28, 4, 4, 17, 0, 6] },
  { tokenIds: [5] },
  { tokenIds: [11, 2, 25, 7] },
  { tokenIds: [8, 8, 21, 13, 1, 19] },
];

/** The engine that a server of `MODEL` runs, without the server. */
export async function localEngine(): Promise<TrainEngine> {
  const adapter = initializeAdapter(TINY, { rank: 3, alpha: ALPHA, seed: 1 });
  const engine = await createOnnxEngine({ ...MODEL, adapter, threads: 1 });
  onTestFinished(() => engine.dispose());
  return engine;
}

/** Takes a step per seed, with derivatives drawn from it. @returns the gradient norms. */
export async function train(engine: TrainEngine, seeds: readonly number[]): Promise<number[]> {
  const norms: number[] = [];
  for (const seed of seeds) {
    const logProb = randomDerivatives(SEQUENCES, seed);
    await engine.backward({ sequences: SEQUENCES }, { logProb });
    norms.push((await engine.optimStep({ learningRate: 0.01, maxGradientNorm: 1 })).gradientNorm);
  }
  return norms;
}

/** ‖a − b‖ / ‖b‖ of each tensor, 0 if both are 0. */
export function distances(actual: TensorMap, expected: TensorMap): number[] {
  expect([...actual.keys()]).toEqual([...expected.keys()]);
  return [...expected].map(([name, { data }]) => {
    const other = actual.get(name)?.data ?? new Float32Array();
    const gap = Math.hypot(...data.map((value, i) => value - (other[i] as number)));
    return gap === 0 ? 0 : gap / Math.hypot(...data);
  });
}

/** The two files of PEFT, or the model's single file, as SkyRL and open-rl export them. */
export function exportFilesOf(config: DecoderConfig): ExportFiles {
  return (parameters, { rank, alpha }) => {
    if (rank === 0) return new Map([["model.safetensors", writeSafetensors(parameters, {})]]);
    const adapter = { rank, alpha, tensors: parameters };
    const json = JSON.stringify(adapterConfigJson(adapter, config));
    return new Map([
      ["adapter_config.json", new TextEncoder().encode(json)],
      ["adapter_model.safetensors", writeAdapter(adapter, config)],
    ]);
  };
}

interface ServerChoice extends Partial<TinkerServerOptions> {
  readonly flavor: "skyrl" | "open-rl" | "sdk";
}

/** Starts a server; when the test ends it is closed and its folder removed. */
export async function serverOf(
  { config, weights, trains, adapter }: ServedModel,
  options: ServerChoice,
): Promise<{ readonly server: TinkerServer; readonly folder: string }> {
  const folder = mkdtempSync(join(tmpdir(), "waggle-open-rl-"));
  const server = await createTinkerServer({
    baseModel: "tiny/decoder",
    folder,
    longPollMs: 50,
    exportFiles: exportFilesOf(config),
    createEngine: ({ rank, alpha, seed = 1 }) =>
      createOnnxEngine({
        config,
        weights,
        trains,
        threads: 1,
        ...(trains === "full"
          ? {}
          : { adapter: adapter ?? initializeAdapter(config, { rank, alpha, seed }) }),
      }),
    ...options,
  });
  onTestFinished(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { server, folder };
}

/** Connects to it with a fresh adapter of rank 3; disposed of when the test ends. */
export async function connect(
  { server, folder }: { readonly server: TinkerServer; readonly folder: string },
  { config, trains }: ServedModel,
  options: Partial<RemoteEngineOptions> = {},
): Promise<TrainEngine> {
  const engine = await createRemoteEngine({
    url: server.url,
    config,
    trains,
    ...(trains === "lora"
      ? { adapter: initializeAdapter(config, { rank: 3, alpha: ALPHA, seed: 1 }) }
      : {}),
    seed: 1,
    sharedFolder: folder,
    retryDelayMs: 1,
    ...options,
  });
  onTestFinished(() => engine.dispose());
  return engine;
}
