/**
 * The TrainEngine on a server of the Tinker API: SkyRL on Ray, open-rl on Kubernetes. The server
 * holds base model, adapter and moments; derivatives are sent as weights of `cross_entropy`. It
 * only has log-probs of taken tokens and their derivatives. Weights cannot be uploaded, so training
 * starts from the server's fresh adapter or from a checkpoint on the server.
 */
import { WaggleError } from "@waggle/protocol";
import type {
  EngineCapabilities,
  EngineCheckpoint,
  OptimizerOptions,
  OptimizerResult,
  TensorMap,
  TokenDerivatives,
  TokenOutputs,
  TrainBatch,
  TrainEngine,
  TrainSequence,
} from "@waggle/protocol";
import { CallQueue } from "../decoder/call-queue.ts";
import {
  requireBatchSupport,
  requireDerivativeSupport,
  requireOptimizerSupport,
} from "../batch/batch-support.ts";
import { checkDerivatives, checkSequence } from "../batch/batch-checks.ts";
import { depthsOf, parentsOf } from "../batch/sequence-tree.ts";
import { missingOnServer } from "./missing-on-server.ts";
import { requireSameOptimizer } from "./optimizer-settings.ts";
import { readRemoteWeights } from "./remote-weights.ts";
import type { RemoteWeightsOptions } from "./remote-weights.ts";
import type { TinkerClient } from "./tinker-client.ts";
import { splitData, toBackwardData, toForwardData } from "./wire-batch.ts";
import type { PlacedDatum, RequestLimits } from "./wire-batch.ts";

export class RemoteEngine implements TrainEngine {
  readonly #client: TinkerClient;
  readonly #options: RemoteWeightsOptions & { readonly limits: RequestLimits };
  readonly #capabilities: EngineCapabilities;
  #step = 0;
  /** Settings of the first step. open-rl keeps them, except learning rate and clipping. */
  #first: OptimizerOptions | null = null;
  /** The event after which the server's gradients and parameters are unknown, until `load`. */
  #unknownSince: string | null = null;
  readonly #calls = new CallQueue();
  readonly #release: () => Promise<void>;

  /**
   * @param client with a model of its own, which the engine unloads when it is disposed of.
   * @param release called once, after that.
   */
  constructor(
    client: TinkerClient,
    options: RemoteWeightsOptions & { readonly limits: RequestLimits },
    capabilities: EngineCapabilities,
    release: () => Promise<void>,
  ) {
    this.#client = client;
    this.#options = options;
    this.#capabilities = capabilities;
    this.#release = release;
  }

  capabilities(): EngineCapabilities {
    return this.#capabilities;
  }

  forward(batch: TrainBatch): Promise<TokenOutputs> {
    return this.#calls.run(async () => {
      this.#check(batch);
      const placed = toForwardData(batch);
      const rows = await this.#client.forward(this.#requests(placed));
      const empty = (fill: number): Float32Array[] =>
        batch.sequences.map(({ tokenIds }) => new Float32Array(tokenIds.length).fill(fill));
      const logProb = empty(0);
      placed.forEach(({ sequence, path }, i) => {
        for (const [place, token] of path.tokens.entries()) {
          if (place < Math.max(1, path.shared)) continue;
          (logProb[sequence] as Float32Array)[token] = rows[i]?.[place - 1] as number;
        }
      });
      return {
        logProb,
        rawLogProb: logProb.map((values) => values.slice()),
        // Not available: NaN, so that using them anyway is noticed.
        entropy: empty(Number.NaN),
        sumSquaredProb: empty(Number.NaN),
      };
    });
  }

  backward(batch: TrainBatch, derivatives: TokenDerivatives): Promise<void> {
    return this.#calls.run(async () => {
      this.#check(batch);
      checkDerivatives(batch, derivatives);
      requireDerivativeSupport(derivatives, this.#capabilities);
      const requests = this.#requests(toBackwardData(batch, derivatives));
      await this.#changing("backward", () => this.#client.backward(requests));
    });
  }

  optimStep(options: OptimizerOptions): Promise<OptimizerResult> {
    return this.#calls.run(async () => {
      requireOptimizerSupport(options, this.#capabilities);
      const { fixedOptimizer } = this.#capabilities;
      const { maxGradientNorm = 0 } = options;
      const kept = fixedOptimizer ?? (this.#first && { ...this.#first, maxGradientNorm });
      requireSameOptimizer(options, kept);
      const gradientNorm = await this.#changing("optimStep", () => this.#client.optimStep(options));
      if (gradientNorm === undefined || !isFiniteNorm(gradientNorm)) {
        // Otherwise the parameters may be NaN now.
        if (!this.#client.flavor.skipsNonFinite) this.#unknownSince = "a non-finite gradient";
        throw new WaggleError(
          "NON_FINITE_VALUE",
          `the server reports a gradient norm of ${gradientNorm ?? "nothing"}; it must be finite; lower the learning rate and load() the last checkpoint`,
        );
      }
      this.#first ??= options;
      this.#step += 1;
      return { gradientNorm, step: this.#step };
    });
  }

  gradients(): Promise<TensorMap> {
    return this.#calls.run(() =>
      Promise.reject(
        missingOnServer("servers do not return gradients; read the parameters instead"),
      ),
    );
  }

  parameters(): Promise<TensorMap> {
    return this.#calls.run(async () => {
      this.#requireKnown();
      return readRemoteWeights(this.#client, this.#options);
    });
  }

  save(): Promise<EngineCheckpoint> {
    return this.#calls.run(async () => {
      this.#requireKnown();
      const location = await this.#client.saveWeights(this.#step);
      return { step: this.#step, tensors: new Map(), location };
    });
  }

  load({ step, location }: EngineCheckpoint): Promise<void> {
    return this.#calls.run(async () => {
      if (location === undefined) {
        throw corrupt("this checkpoint contains tensors, which cannot be uploaded to a server");
      }
      this.#unknownSince = "a checkpoint that failed to load";
      try {
        await this.#reopen(location);
      } catch (error) {
        const isGone =
          WaggleError.is(error, "NOT_FOUND") || WaggleError.is(error, "INVALID_ARGUMENT");
        throw isGone
          ? corrupt(`the server no longer has the weights ${location.slice(0, 300)}`, error)
          : error;
      }
      this.#step = step;
      this.#unknownSince = null;
    });
  }

  dispose(): Promise<void> {
    return this.#calls.close(async () => {
      this.#client.close();
      // If the server is gone, there is nothing to unload.
      await this.#client.unloadModel().catch(() => {});
      await this.#release();
    });
  }

  /** Also works on a restarted server, because session and model are new. */
  async #reopen(location: string): Promise<void> {
    const client = this.#client;
    if (!client.flavor.loadsInPlace) {
      // Some servers support only one model.
      await client.unloadModel().catch(() => {});
      await client.openSession();
      await client.createModel();
    }
    await client.loadWeights(location);
  }

  /** Runs `work`, which changes gradients or parameters. If it fails, they are unknown. */
  async #changing<T>(name: string, work: () => Promise<T>): Promise<T> {
    this.#requireKnown();
    try {
      return await work();
    } catch (error) {
      this.#unknownSince = `a failed ${name}`;
      throw error;
    }
  }

  #requireKnown(): void {
    if (this.#unknownSince === null) return;
    throw new WaggleError(
      "DEVICE_LOST",
      `the server's gradients and parameters are unknown after ${this.#unknownSince}; load() the last checkpoint`,
      { retryable: true },
    );
  }

  #check(batch: TrainBatch): void {
    batch.sequences.forEach((sequence, index) =>
      checkSequence(sequence, index, this.#options.config),
    );
    requireBatchSupport(withoutDefaults(batch), this.#capabilities);
  }

  #requests(placed: readonly PlacedDatum[]): PlacedDatum["datum"][][] {
    return splitData(placed, this.#options.limits).map((part) => part.map(({ datum }) => datum));
  }
}

/** Removes members that have no effect: temperatures 1, full kept sets, positions by ancestors. */
function withoutDefaults(batch: TrainBatch): TrainBatch {
  return {
    ...batch,
    sequences: batch.sequences.map(({ temperatures, keptTokenIds, positions, ...sequence }) => ({
      ...sequence,
      ...(isCounted(sequence, positions) ? {} : { positions }),
      ...(isOne(temperatures) ? {} : { temperatures }),
      ...((keptTokenIds ?? []).every((kept) => kept === null) ? {} : { keptTokenIds }),
    })),
  };
}

function isCounted(sequence: TrainSequence, positions: TrainSequence["positions"]): boolean {
  if (positions === undefined) return true;
  const depths = depthsOf(parentsOf(sequence));
  return positions.every((position, token) => position === depths[token]);
}

function isOne(temperatures: TrainSequence["temperatures"] = 1): boolean {
  return typeof temperatures === "number"
    ? temperatures === 1
    : temperatures.every((value, token) => token === 0 || value === 1);
}

/** open-rl writes 9999 for infinity and 0 for NaN (trainer.py, _sanitize_float). */
function isFiniteNorm(norm: number): boolean {
  return Number.isFinite(norm) && norm !== 9999;
}

function corrupt(problem: string, cause?: unknown): WaggleError {
  return new WaggleError(
    "CHECKPOINT_CORRUPT",
    `${problem}; use a checkpoint that this server saved`,
    { cause },
  );
}
