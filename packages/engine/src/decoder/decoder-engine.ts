/**
 * A TrainEngine over the graphs of a decoder. Splits batches into microbatches, maps per-token
 * outputs and derivatives to rows and back, and adds value heads and AdamW in TypeScript.
 * Everything here is float32; the runner decides which graphs run, where, and in which precision.
 */
import type { DecoderConfig } from "@waggle/model";
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
} from "@waggle/protocol";
import { AdamW, clipScale } from "../optimizer/adamw.ts";
import { isMuonMatrix, muonStep, type Orthogonalize } from "../optimizer/muon.ts";
import { emptyOutputs } from "../batch/empty-outputs.ts";
import {
  requireBatchSupport,
  requireDerivativeSupport,
  requireOptimizerSupport,
} from "../batch/batch-support.ts";
import { CallQueue } from "./call-queue.ts";
import type { CallLane } from "./call-queue.ts";
import type { DecoderRunner, LogitDerivatives, RowOutputs } from "./decoder-runner.ts";
import type { Precision } from "../memory/memory-plan.ts";
import {
  checkTakenKept,
  forEachAsked,
  isTakenKept,
  packMicrobatches,
} from "../batch/microbatch.ts";
import type { Microbatch } from "../batch/microbatch.ts";
import { checkDerivatives } from "../batch/batch-checks.ts";
import { mapTensors } from "./trained-weights.ts";
import { emptyValues, hasValueDerivative } from "./value-heads.ts";
import type { ValueHeads } from "./value-heads.ts";

export class DecoderEngine implements TrainEngine {
  readonly #config: DecoderConfig;
  readonly #runner: DecoderRunner;
  readonly #valueHeads: ValueHeads | null;
  /** Those of the decoder, then those of value heads. */
  readonly #parameters: TensorMap;
  readonly #optimizer: AdamW;
  readonly #capabilities: EngineCapabilities;
  readonly #maxTokens: number;
  readonly #checkMemory: (microbatches: readonly Microbatch[]) => void;
  readonly #calls: CallQueue;
  readonly #orthogonalize: Orthogonalize | null;
  readonly #release: () => Promise<void>;

  constructor(
    config: DecoderConfig,
    runner: DecoderRunner,
    options: {
      readonly trains: "lora" | "full";
      /** Named in `capabilities()`. */
      readonly device: string;
      readonly precision: Precision;
      readonly maxTokens: number;
      readonly valueHeads: ValueHeads | null;
      /** Throws where a microbatch exceeds the memory limit; called before any of a batch runs. */
      readonly checkMemory: (microbatches: readonly Microbatch[]) => void;
      /** For Muon; null where every parameter takes AdamW. */
      readonly orthogonalize: Orthogonalize | null;
      /** Shared by all engines that use the runner's graphs. */
      readonly lane: CallLane;
      /** Called once, when the engine is disposed of. */
      readonly release: () => Promise<void>;
    },
  ) {
    const { valueHeads } = options;
    this.#config = config;
    this.#runner = runner;
    this.#valueHeads = valueHeads;
    this.#parameters = new Map([...runner.parameters, ...(valueHeads?.parameters ?? [])]);
    this.#optimizer = new AdamW(this.#parameters);
    this.#maxTokens = options.maxTokens;
    this.#checkMemory = options.checkMemory;
    this.#calls = new CallQueue(options.lane);
    this.#orthogonalize = options.orthogonalize;
    this.#release = options.release;
    this.#capabilities = {
      outputs: [
        "logProb",
        "rawLogProb",
        "entropy",
        "sumSquaredProb",
        "candidateLogProbs",
        ...(valueHeads ? (["values"] as const) : []),
      ],
      derivatives: [
        "logProb",
        "rawLogProb",
        "entropy",
        "candidateLogProbs",
        ...(valueHeads ? (["values"] as const) : []),
      ],
      ...(valueHeads ? { valueHeads: valueHeads.heads } : {}),
      sequences: ["temperatures", "keptTokenIds", "parents", "positions"],
      trains: options.trains,
      ...(options.precision === "f32" ? {} : { precision: options.precision }),
      reads: ["parameters", "gradients"],
      ...(options.orthogonalize === null ? {} : { muon: true }),
      device: options.device,
    };
  }

  capabilities(): EngineCapabilities {
    return this.#capabilities;
  }

  forward(batch: TrainBatch): Promise<TokenOutputs> {
    return this.#calls.run(async () => {
      requireBatchSupport(batch, this.#capabilities);
      const heads = batch.values === true ? this.#valueHeads : null;
      const values = emptyValues(batch.sequences, heads?.heads ?? 0);
      const microbatches = packMicrobatches(
        batch,
        this.#config,
        this.#maxTokens,
        () => true,
        () => heads !== null,
      );
      this.#checkMemory(microbatches);
      const outputs = emptyOutputs(batch);
      const candidateLogProbs = batch.sequences.map(({ tokenIds }) =>
        tokenIds.map((): Float32Array | null => null),
      );
      for (const microbatch of microbatches) {
        const rows = await this.#runner.forward(microbatch);
        if (this.#capabilities.precision !== undefined) checkFinite(rows);
        forEachAsked(microbatch, ({ sequence, token }, row) => {
          for (const name of ["logProb", "rawLogProb", "entropy", "sumSquaredProb"] as const) {
            (outputs[name][sequence] as Float32Array)[token] = rows[name][row] as number;
          }
          if (!isTakenKept(microbatch, row)) {
            (outputs.logProb[sequence] as Float32Array)[token] = -Infinity;
          }
          const candidates = rows.candidateLogProbs?.[row]?.slice() ?? null;
          (candidateLogProbs[sequence] as (Float32Array | null)[])[token] = candidates;
        });
        const { hidden } = rows;
        if (heads !== null && microbatch.values !== null && hidden !== null) {
          const { asked, rows: places } = microbatch.values;
          heads.scatter(heads.outputs(hidden, places), asked, values);
        }
      }
      const asksCandidates = batch.sequences.some(
        ({ candidateTokenIds }) => candidateTokenIds !== undefined,
      );
      return {
        ...outputs,
        ...(asksCandidates ? { candidateLogProbs } : {}),
        ...(heads === null ? {} : { values }),
      };
    });
  }

  backward(batch: TrainBatch, derivatives: TokenDerivatives): Promise<void> {
    return this.#calls.run(async () => {
      requireBatchSupport(batch, this.#capabilities);
      requireDerivativeSupport(derivatives, this.#capabilities);
      checkDerivatives(batch, derivatives, this.#valueHeads?.heads);
      const { logProb, rawLogProb, entropy, candidateLogProbs } = derivatives;
      const at = (arrays: readonly Float32Array[] | undefined, sequence: number, token: number) =>
        arrays?.[sequence]?.[token] ?? 0;
      const microbatches = packMicrobatches(
        batch,
        this.#config,
        this.#maxTokens,
        (sequence, token) =>
          at(logProb, sequence, token) !== 0 ||
          at(rawLogProb, sequence, token) !== 0 ||
          at(entropy, sequence, token) !== 0 ||
          (candidateLogProbs?.[sequence]?.[token] ?? null) !== null,
        (sequence, token) =>
          hasValueDerivative(derivatives.values, this.#valueHeads?.heads ?? 0, { sequence, token }),
      );
      for (const microbatch of microbatches) checkTakenKept(microbatch, logProb);
      this.#checkMemory(microbatches);
      for (const microbatch of microbatches) {
        const rows = (arrays: readonly Float32Array[] | undefined): Float32Array =>
          arrays === undefined
            ? new Float32Array(microbatch.asked.length)
            : Float32Array.from(microbatch.asked, (askers) =>
                askers.reduce((sum, { sequence, token }) => sum + at(arrays, sequence, token), 0),
              );
        const candidates =
          candidateLogProbs &&
          microbatch.asked.map((askers) =>
            sumOf(askers.map(({ sequence, token }) => candidateLogProbs[sequence]?.[token])),
          );
        await this.#backward(microbatch, derivatives.values, batch.valuesTrainDecoder ?? true, {
          logProb: rows(logProb),
          rawLogProb: rows(rawLogProb),
          entropy: rows(entropy),
          candidateLogProbs:
            candidates?.some((values) => values !== null) === true ? candidates : null,
        });
      }
    });
  }

  async #backward(
    microbatch: Microbatch,
    valueDerivatives: TokenDerivatives["values"],
    trainDecoder: boolean,
    derivatives: LogitDerivatives,
  ): Promise<void> {
    const [heads, asked] = [this.#valueHeads, microbatch.values];
    if (heads === null || asked === null) {
      await this.#runner.backward(microbatch, { ...derivatives, hiddenGradient: null });
      return;
    }
    const ofValues = heads.gather(valueDerivatives, asked.asked);
    const hiddenGradient = trainDecoder
      ? heads.hiddenGradient(ofValues, asked.rows, microbatch.rows.length)
      : null;
    const hasDecoderGradient = trainDecoder || microbatch.targets.length > 0;
    const hidden = hasDecoderGradient
      ? await this.#runner.backward(microbatch, { ...derivatives, hiddenGradient })
      : (await this.#runner.forward(microbatch)).hidden;
    heads.addGradients(hidden as Float32Array, ofValues, asked.rows);
  }

  async #gradients(): Promise<ReadonlyMap<string, Float32Array>> {
    return new Map([...(await this.#runner.gradients()), ...(this.#valueHeads?.gradients ?? [])]);
  }

  #dropGradients(): void {
    this.#runner.dropGradients();
    this.#valueHeads?.dropGradients();
  }

  optimStep(options: OptimizerOptions): Promise<OptimizerResult> {
    return this.#calls.run(async () => {
      requireOptimizerSupport(options, this.#capabilities);
      const gradients = await this.#gradients();
      const { overflows } = this.#runner;
      this.#dropGradients();
      const result = await this.#update(gradients, options);
      await this.#runner.parametersChanged();
      return this.#capabilities.precision === undefined ? result : { ...result, overflows };
    });
  }

  async #update(
    gradients: ReadonlyMap<string, Float32Array>,
    options: OptimizerOptions,
  ): Promise<OptimizerResult> {
    const orthogonalize = options.matrices === "muon" ? this.#orthogonalize : null;
    if (orthogonalize === null) return this.#optimizer.update(gradients, options);
    const result = this.#optimizer.update(gradients, options, isMuonMatrix);
    const { learningRate, weightDecay = 0, maxGradientNorm = 0 } = options;
    const gradientScale = clipScale(result.gradientNorm, maxGradientNorm);
    await muonStep(
      this.#optimizer.moments(isMuonMatrix),
      gradients,
      { learningRate, weightDecay, gradientScale },
      orthogonalize,
    );
    return result;
  }

  gradients(): Promise<TensorMap> {
    return this.#calls.run(async () => {
      const gradients = await this.#gradients();
      return mapTensors(
        this.#parameters,
        (data, name) => gradients.get(name)?.slice() ?? new Float32Array(data.length),
      );
    });
  }

  parameters(): Promise<TensorMap> {
    return this.#calls.run(async () => mapTensors(this.#parameters, (data) => data.slice()));
  }

  save(): Promise<EngineCheckpoint> {
    return this.#calls.run(async () => this.#optimizer.checkpoint());
  }

  load(checkpoint: EngineCheckpoint): Promise<void> {
    return this.#calls.run(async () => {
      this.#optimizer.restore(checkpoint);
      this.#dropGradients();
      await this.#runner.parametersChanged();
    });
  }

  dispose(): Promise<void> {
    return this.#calls.close(this.#release);
  }
}

/**
 * Activations beyond float16's range become infinity or NaN and reach some logit. The entropy of that
 * row sums over all logits, so it becomes NaN.
 */
function checkFinite({ entropy, hidden }: RowOutputs): void {
  if (entropy.every(Number.isFinite) && (hidden?.every(Number.isFinite) ?? true)) return;
  throw new WaggleError(
    "NON_FINITE_VALUE",
    'activations exceeded 65504, the largest f16 number; train with precision "f32"',
  );
}

/** Elementwise sum; null if all arrays are missing. */
function sumOf(arrays: readonly (Float32Array | null | undefined)[]): Float32Array | null {
  const [first, ...rest] = arrays.filter((array) => array !== null && array !== undefined);
  if (first === undefined) return null;
  return first.map((value, i) => rest.reduce((sum, array) => sum + (array[i] as number), value));
}
