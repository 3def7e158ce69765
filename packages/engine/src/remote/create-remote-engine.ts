/**
 * Opens a TrainEngine on a server of the Tinker API: finds out what the server serves, refuses what
 * it does not, creates a model there.
 */
import { loraParameters, PlainDecoder } from "@waggle/model";
import type { Adapter, DecoderConfig, ValueHead } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import type { OptimizerOptions, TensorMap, TrainEngine } from "@waggle/protocol";
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

/** How a server is reached and what only its operator knows. */
export type RemoteServerOptions = {
  /** Sent as `X-API-Key`. */
  readonly apiKey?: string | undefined;
  /** Name by which the server knows the base model; default: the only one that it serves. */
  readonly baseModel?: string | undefined;
  /** Default: found out. */
  readonly flavor?: ServerFlavorName | undefined;
  /** Where this machine sees an open-rl server's `OPEN_RL_TMP_DIR`, to read adapters from. */
  readonly sharedFolder?: string | undefined;
  /**
   * What the server's AdamW was started with, where a call cannot say it (SkyRL). Default: the
   * values of docs/how-to/remote/skyrl-ray.yaml.
   */
  readonly fixedOptimizer?: Omit<OptimizerOptions, "learningRate"> | undefined;
  /** Of the adapter's initialization; default: the server's choice. */
  readonly seed?: number | undefined;
  /** Bounds on one request, default 1024 sequences and 5 MB: those of the Tinker SDK. */
  readonly limits?: RequestLimits | undefined;
  /** Times that one call is tried and the first pause between, default 6 and 250 ms. */
  readonly attempts?: number | undefined;
  readonly retryDelayMs?: number | undefined;
  /** Longest time from a request to its result, default 30 minutes. */
  readonly resultTimeoutMs?: number | undefined;
  /** Between signs of life, default 10 s; SkyRL ends a session after 300 s without. */
  readonly heartbeatMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
};

export type RemoteEngineOptions = RemoteServerOptions & {
  readonly url: string;
  readonly config: DecoderConfig;
  readonly trains: "lora" | "full";
  /** With `lora`: gives rank and alpha. It must be fresh (B zero): the server draws its own A. */
  readonly adapter?: Adapter | undefined;
  /** Refused: the Tinker API has no values. */
  readonly valueHead?: ValueHead | undefined;
  /** The base model here. Given, the server's must give the same log-probs. */
  readonly weights?: TensorMap | undefined;
};

/** What models of one server share. */
type RemoteModelOptions = {
  /** Called when the engine is disposed of. */
  readonly release?: () => Promise<void>;
  /** An earlier model of this server has shown how it weights and which base it serves. */
  readonly isProbed?: boolean;
};

const SDK_LIMITS: RequestLimits = { sequences: 1024, bytes: 5_000_000 };
/** Nats: bfloat16 on the server; another model is off by several. */
const SAME_MODEL_TOLERANCE = 0.5;

/**
 * Connects, checks what the server serves and creates a model there.
 * @throws WaggleError `CAPABILITY_MISSING` for what the server cannot do, `INVALID_ARGUMENT` on
 *   options that contradict each other, `MODEL_UNSUPPORTED` where its base model is another,
 *   `DEVICE_UNAVAILABLE` or `NETWORK` where no server answers.
 */
export async function createRemoteEngine(
  options: RemoteEngineOptions,
  { release = async () => {}, isProbed = false }: RemoteModelOptions = {},
): Promise<TrainEngine> {
  if (options.valueHead !== undefined) {
    throw missingOnServer(
      "values need an engine of this machine: the Tinker API has no value heads",
      `${options.valueHead.heads} of them`,
    );
  }
  const shape = adapterShape(options);
  const transport = new HttpTransport({ ...options, baseUrl: options.url });
  const { flavor, baseModel } = await probeServer(transport, options);
  if (shape === null && !flavor.trainsFull) {
    throw missingOnServer(
      `training of every parameter needs another server than ${flavor.name}`,
      "lora",
    );
  }
  if (shape !== null && flavor.alpha !== null && shape.alpha !== flavor.alpha) {
    throw missingOnServer(
      `an adapter on ${flavor.name} must have alpha ${flavor.alpha}`,
      `alpha ${shape.alpha} (--alpha ${flavor.alpha} sets it)`,
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
    if (!isProbed) {
      await requireSummedWeights(client);
      // What the probe left in the moments goes with its model.
      await client.unloadModel();
      await client.createModel();
    }
    const canRead = await readsParameters(client, weights);
    const detail = `${baseModel} ${client.encoding}`;
    const limits = options.limits ?? SDK_LIMITS;
    const engine = new RemoteEngine(
      client,
      { ...weights, limits },
      {
        outputs: ["logProb", "rawLogProb"],
        derivatives: ["logProb", "rawLogProb"],
        // trees go as one plain sequence for each of their paths
        sequences: ["parents"],
        trains: options.trains,
        reads: canRead ? ["parameters"] : [],
        ...(flavor.fixedOptimizer === null
          ? {}
          : { fixedOptimizer: options.fixedOptimizer ?? flavor.fixedOptimizer }),
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
      `an adapter must be given with trains "lora" and only then, got trains "${trains}" ${adapter ? "with" : "without"} an adapter; use initializeAdapter for a fresh one`,
    );
  }
  if (adapter === undefined) return null;
  inOrder(adapter.tensors, loraParameters(config, adapter.rank));
  for (const [name, { data }] of adapter.tensors) {
    if (name.includes("lora_B") && data.some((value) => value !== 0)) {
      throw missingOnServer(
        "the Tinker API has no upload, so training on a server starts from a fresh adapter or from a checkpoint of that server",
        "a trained adapter",
      );
    }
  }
  return { rank: adapter.rank, alpha: adapter.alpha };
}

/** Whether the trained adapter comes back: known only once it did. */
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

/** A fresh adapter changes nothing: the server's log-probs are those of its base model. */
async function requireSameBase(
  engine: TrainEngine,
  config: DecoderConfig,
  weights: TensorMap,
): Promise<void> {
  const tokenIds = [1, 2, 3, 4].map((id) => Math.min(id * 5, config.vocabularySize - 1));
  const { logProb } = await engine.forward({ sequences: [{ tokenIds }] });
  const decoder = new PlainDecoder(config, weights);
  const gaps = tokenIds.slice(1).map((next, t) => {
    const logits = decoder.read(tokenIds[t] as number);
    const largest = logits.reduce((a, b) => Math.max(a, b), -Infinity);
    const sum = logits.reduce((total, logit) => total + Math.exp(logit - largest), 0);
    const expected = (logits[next] as number) - largest - Math.log(sum);
    return Math.abs((logProb[0]?.[t + 1] ?? Number.NaN) - expected);
  });
  const gap = Math.max(...gaps);
  if (!(gap <= SAME_MODEL_TOLERANCE)) {
    throw new WaggleError(
      "MODEL_UNSUPPORTED",
      `the server must serve the base model that is here, got log-probs that differ by ${gap.toPrecision(3)} nats (${engine.capabilities().device}); give both the same weights`,
    );
  }
}
