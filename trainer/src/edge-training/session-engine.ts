/**
 * Opens the engine of a training session with its initial parameters: a saved state, the edge's stable
 * adapter, or a fresh one. A server of the Tinker API takes no adapter from outside, so there the
 * stable adapter is merged into the server's base (see `merged-base-engine.ts`).
 */
import { isEngineUrl } from "@waggle/engine";
import { type Adapter, mergeAdapter, PlainDecoder } from "@waggle/model";
import {
  type AdapterReference,
  type EngineCheckpoint,
  type TensorMap,
  type TrainEngine,
  WaggleError,
} from "@waggle/protocol";
import type { AdapterCache } from "../model/adapter-cache.ts";
import type { BaseModel } from "../model/base-model.ts";
import { type AdapterShape, mergedBaseEngine, stackedShape } from "../model/merged-base-engine.ts";
import { openEngine } from "../model/open-model.ts";
import type { Device } from "../model/device.ts";
import { adapterShapeOf, type TrainerState } from "../checkpoint/trainer-state.ts";
import type { TrainingSessionOptions } from "./training-session-options.ts";

/** An engine and the place of its parameters. */
export type SessionEngine = {
  readonly engine: TrainEngine;
  /** Where it computes and which adapter its base contains, as stored in the trainer's state. */
  readonly place: Pick<TrainerState, "adapterShape" | "server" | "mergedBase">;
};

/** Origin of the training server; `undefined` for this machine. */
function serverOf(device: Device): string | undefined {
  return isEngineUrl(device) ? new URL(device).origin : undefined;
}

/** True if the saved engine is on a different machine than the one that is to train. */
export function isElsewhere(
  { server }: TrainerState,
  { location }: EngineCheckpoint,
  device: Device,
): boolean {
  const here = serverOf(device);
  // States of the previous release have no server name; a checkpoint with a location is assumed to be
  // on this one.
  const there = server ?? (location === undefined ? undefined : here);
  return here !== there;
}

/**
 * Opens the engine.
 *
 * @param saved - the state to resume; `null` to start from the edge's stable adapter.
 * @param stable - that adapter; `null` if the base is stable.
 * @throws WaggleError `MODEL_UNSUPPORTED` if a server's base lacks the stable adapter.
 */
export async function openSessionEngine(
  model: BaseModel,
  options: TrainingSessionOptions,
  adapterCache: Pick<AdapterCache, "get">,
  saved: TrainerState | null,
  stable: AdapterReference | null,
): Promise<SessionEngine> {
  const { device, start, seed } = options;
  const server = serverOf(device);
  const fresh = { rank: options.rank, alpha: options.alpha };
  const trunk =
    server === undefined || start !== undefined
      ? undefined
      : saved === null
        ? stable && { adapter: stable, trained: fresh }
        : saved.mergedBase;
  if (trunk) {
    const merged = await adapterCache.get(trunk.adapter);
    const engine = await openOverMergedBase(model, merged, trunk.trained, options);
    const adapterShape = stackedShape(merged, trunk.trained);
    return { engine, place: { adapterShape, server, mergedBase: trunk } };
  }
  const shape = start?.adapter ?? stable ?? fresh;
  const { rank, alpha } = saved === null ? shape : (adapterShapeOf(saved) ?? shape);
  const startsAt = start?.adapter ?? (stable ? await adapterCache.get(stable) : undefined);
  const engine = await openEngine(
    model,
    device,
    (saved === null ? startsAt : undefined) ?? { rank, alpha, seed },
    options,
    options.server,
  );
  return { engine, place: { adapterShape: { rank, alpha }, server, mergedBase: undefined } };
}

async function openOverMergedBase(
  model: BaseModel,
  merged: Adapter,
  trained: AdapterShape,
  options: TrainingSessionOptions,
): Promise<TrainEngine> {
  const { config } = model;
  // A server's base is float32; see `requireBase`.
  const base = model.weights as TensorMap;
  const weights = mergeAdapter(config, base, merged);
  const start = { ...trained, seed: options.seed };
  const over = { config, weights };
  const engine = await openEngine(over, options.device, start, options, options.server).catch(
    (error: unknown) => {
      if (!WaggleError.is(error, "MODEL_UNSUPPORTED")) throw error;
      throw baseLacksAdapter(options, error);
    },
  );
  const tokenIds = Array.from(
    { length: PROBE_TOKENS },
    (_, i) => (i * 37 + 5) % config.vocabularySize,
  );
  const isMerged = await isNearer(
    engine,
    tokenIds,
    new PlainDecoder(config, weights),
    new PlainDecoder(config, base),
  );
  if (isMerged) return mergedBaseEngine(engine, merged, trained);
  await engine.dispose();
  throw baseLacksAdapter(options);
}

/** Tokens whose log-probs distinguish the two bases. */
const PROBE_TOKENS = 12;

/** True if the log-probs of the engine's fresh adapter are closer to `a` than to `b`. */
async function isNearer(
  engine: TrainEngine,
  tokenIds: readonly number[],
  a: PlainDecoder,
  b: PlainDecoder,
): Promise<boolean> {
  const { logProb } = await engine.forward({ sequences: [{ tokenIds }] });
  const found = Array.from(logProb[0] ?? []).slice(1);
  const distance = (decoder: PlainDecoder): number =>
    decoder
      .readLogProbs(tokenIds)
      .reduce((sum, value, i) => sum + Math.abs(value - (found[i] ?? 0)), 0);
  return distance(a) < distance(b);
}

function baseLacksAdapter({ device, stateFolder }: TrainingSessionOptions, cause?: unknown) {
  return new WaggleError(
    "MODEL_UNSUPPORTED",
    `The base model of ${device} does not contain the stable policy, and the Tinker API takes no adapter from outside. Merge the policy into the base with: npm run save-model -- --from ${stateFolder} --base <model folder> --as merged --out <folder>. Start the server with that folder, then start the trainer again.`,
    { cause },
  );
}
