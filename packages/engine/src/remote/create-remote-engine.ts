/**
 * Opens a TrainEngine on a server of the Tinker API: detects what the server supports, refuses
 * options that it does not, and creates a model there.
 */
import { loraParameters, PlainDecoder } from "@waggle/model";
import type { Adapter, DecoderConfig, ValueHead } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import type { OptimizerOptions, TensorMap, TrainEngine } from "@waggle/protocol";
import { requireCapabilities } from "./capability-probe.ts";
import { requireSummedWeights } from "./gradient-probe.ts";
import { HttpTransport } from "./http-transport.ts";
import { missingOnServer } from "./missing-on-server.ts";
import { RemoteEngine } from "./remote-engine.ts";
import { inOrder, readRemoteWeights } from "./remote-weights.ts";
import type { RemoteWeightsOptions } from "./remote-weights.ts";
import type { ServerFlavorName } from "./server-flavor.ts";
import { probeServer } from "./server-probe.ts";
import { TinkerClient } from "./tinker-client.ts";
import type { RequestLimits } from "./wire-batch.ts";

/** How to reach a server, and settings that only its operator knows. */
export type RemoteServerOptions = {
  /** Sent as `X-API-Key`. */
  readonly apiKey?: string | undefined;
  /** Name of the base model on the server. Default: the only one that it serves. */
  readonly baseModel?: string | undefined;
  /** Default: detected. */
  readonly flavor?: ServerFlavorName | undefined;
  /** Local path of an open-rl server's `OPEN_RL_TMP_DIR`, from which adapters are read. */
  readonly sharedFolder?: string | undefined;
  /**
   * AdamW settings that the server was started with, for servers that ignore those of a call (SkyRL).
   * Default: for SkyRL the values of docs/how-to/remote/skyrl-ray.yaml; a server of an unknown kind is
   * assumed to use those of each call.
   */
  readonly fixedOptimizer?: Omit<OptimizerOptions, "learningRate"> | undefined;
  /** Seed of the adapter's initialization. Default: chosen by the server. */
  readonly seed?: number | undefined;
  /** Limits on one request. Default: 1024 sequences and 5 MB, as in the Tinker SDK. */
  readonly limits?: RequestLimits | undefined;
  /** Maximum number of tries of a call, and the first pause in between. Default 6 and 250 ms. */
  readonly attempts?: number | undefined;
  readonly retryDelayMs?: number | undefined;
  /** Longest wait from a request to its result. Default 30 minutes. */
  readonly resultTimeoutMs?: number | undefined;
  /** Interval of heartbeats, default 10 s. SkyRL ends a session after 300 s without one. */
  readonly heartbeatMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
};

/** Options of `createRemoteEngine`. */
export type RemoteEngineOptions = RemoteServerOptions & {
  readonly url: string;
  readonly config: DecoderConfig;
  readonly trains: "lora" | "full";
  /** Sets rank and alpha, with `lora`. Must be fresh (B zero), because the server draws its own A. */
  readonly adapter?: Adapter | undefined;
  /** Refused: the Tinker API has no value heads. */
  readonly valueHead?: ValueHead | undefined;
  /** The local base model. If given, the server's must have the same log-probs. */
  readonly weights?: TensorMap | undefined;
};

/** Options for further models on the same server. */
type RemoteModelOptions = {
  /** Called when the engine is disposed of. */
  readonly release?: () => Promise<void>;
  /** Skips checks that an earlier model on this server has passed: weighting and base model. */
  readonly isProbed?: boolean;
};

const SDK_LIMITS: RequestLimits = { sequences: 1024, bytes: 5_000_000 };
/** In nats. The server computes in bfloat16; another model differs by several nats. */
const SAME_MODEL_TOLERANCE = 0.5;

/**
 * Connects, detects what the server supports and creates a model there.
 * @throws WaggleError `CAPABILITY_MISSING` for what the server cannot do, `INVALID_ARGUMENT` on
 *   contradictory options, `MODEL_UNSUPPORTED` if its base model differs, `DEVICE_UNAVAILABLE` or
 *   `NETWORK` if no server responds.
 */
export async function createRemoteEngine(
  options: RemoteEngineOptions,
  { release = async () => {}, isProbed = false }: RemoteModelOptions = {},
): Promise<TrainEngine> {
  if (options.valueHead !== undefined) {
    throw missingOnServer("servers of the Tinker API train no value heads; choose another recipe");
  }
  const shape = adapterShape(options);
  const transport = new HttpTransport({ ...options, baseUrl: options.url });
  const { flavor, baseModel } = await probeServer(transport, options);
  if (shape === null && !flavor.trainsFull) {
    throw missingOnServer(`${flavor.name} trains adapters only; set trains to "lora"`);
  }
  if (shape !== null && flavor.alpha !== null && shape.alpha !== flavor.alpha) {
    throw missingOnServer(
      `${flavor.name} fixes alpha at ${flavor.alpha}, but the adapter has alpha ${shape.alpha}; pass --alpha ${flavor.alpha}`,
    );
  }
  const client = new TinkerClient({
    transport,
    flavor,
    baseModel,
    rank: shape?.rank ?? 0,
    alpha: shape?.alpha ?? 0,
    seed: options.seed,
    resultTimeoutMs: options.resultTimeoutMs ?? 30 * 60_000,
    heartbeatMs: options.heartbeatMs ?? 10_000,
  });
  const weights: RemoteWeightsOptions = {
    config: options.config,
    adapter: shape,
    sharedFolder: options.sharedFolder,
  };
  try {
    await client.openSession();
    await client.createModel();
    if (flavor.isGuessed) await requireCapabilities(client);
    if (!isProbed) {
      await requireSummedWeights(client);
      // The probe changed the moments, which go away with its model.
      await client.unloadModel();
      await client.createModel();
    }
    const canRead = await readsParameters(client, weights);
    // A server that uses the settings of each call needs none from its operator.
    const isPerCall = flavor.fixedOptimizer === null && !flavor.isGuessed;
    const fixedOptimizer = isPerCall ? null : (options.fixedOptimizer ?? flavor.fixedOptimizer);
    const detail = `${baseModel} ${client.encoding}`;
    const limits = options.limits ?? SDK_LIMITS;
    const engine = new RemoteEngine(
      client,
      { ...weights, limits },
      {
        outputs: ["logProb", "rawLogProb"],
        derivatives: ["logProb", "rawLogProb"],
        // a tree is sent as one plain sequence per path
        sequences: ["parents"],
        trains: options.trains,
        reads: canRead ? ["parameters"] : [],
        ...(fixedOptimizer === null ? {} : { fixedOptimizer }),
        device: `tinker ${flavor.name} ${transport.origin} ${detail}`,
      },
      release,
    );
    if (options.weights !== undefined && !isProbed) {
      await requireSameBase(engine, options.config, options.weights);
    }
    return engine;
  } catch (error) {
    client.close();
    throw error;
  }
}

function adapterShape({
  trains,
  adapter,
  config,
}: RemoteEngineOptions): RemoteWeightsOptions["adapter"] {
  if ((trains === "lora") !== (adapter !== undefined)) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      adapter
        ? 'trains "full" takes no adapter; leave it out, or set trains to "lora"'
        : 'trains "lora" needs an adapter; create a fresh one with initializeAdapter',
    );
  }
  if (adapter === undefined) return null;
  inOrder(adapter.tensors, loraParameters(config, adapter.rank));
  for (const [name, { data }] of adapter.tensors) {
    if (name.includes("lora_B") && data.some((value) => value !== 0)) {
      throw missingOnServer(
        "a trained adapter cannot be uploaded to a server; start from a fresh adapter or from that server's checkpoint",
      );
    }
  }
  return { rank: adapter.rank, alpha: adapter.alpha };
}

/** Whether the trained adapter can be read, found out by reading it. */
async function readsParameters(
  client: TinkerClient,
  options: RemoteWeightsOptions,
): Promise<boolean> {
  try {
    await readRemoteWeights(client, options);
    return true;
  } catch (error) {
    if (WaggleError.is(error, "CAPABILITY_MISSING")) return false;
    throw error;
  }
}

/** A fresh adapter changes nothing, so the server's log-probs are those of its base model. */
async function requireSameBase(
  engine: TrainEngine,
  config: DecoderConfig,
  weights: TensorMap,
): Promise<void> {
  const tokenIds = [1, 2, 3, 4].map((id) => Math.min(id * 5, config.vocabularySize - 1));
  const { logProb } = await engine.forward({ sequences: [{ tokenIds }] });
  const decoder = new PlainDecoder(config, weights);
  const gaps = decoder
    .readLogProbs(tokenIds)
    .map((expected, t) => Math.abs((logProb[0]?.[t + 1] ?? Number.NaN) - expected));
  const gap = Math.max(...gaps);
  if (!(gap <= SAME_MODEL_TOLERANCE)) {
    throw new WaggleError(
      "MODEL_UNSUPPORTED",
      `the server's base model differs from the local one by ${gap.toPrecision(3)} nats of log-prob (${engine.capabilities().device}); use the same weights in both places`,
    );
  }
}
