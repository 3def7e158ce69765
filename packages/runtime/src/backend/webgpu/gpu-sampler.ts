/**
 * Samples and scores rows of logits on the device. Its kernels join a pass of the caller. Only
 * results are read back: 64 bytes per sampled token, 16 per scored token, and the ids kept by top-k
 * or top-p if they do not fit.
 *
 * Differs from `sampler.ts`: sums are in f32, so kept sets may differ where a running mass is
 * within rounding of top-p. A logit of −Infinity is never kept. With only a mask and more than ten
 * ids, the kept set is not read back, because the record's grammar determines it.
 */
import { WaggleError } from "@waggle/protocol";
import type { SampledToken, TokenScore } from "../../sampler.ts";
import type { GpuMemory } from "./gpu-memory.ts";
import { READBACK, UNIFORM } from "./gpu-memory.ts";
import { JobLayout, PREFETCHED_IDS } from "./job-layout.ts";
import type { SamplerJob } from "./job-layout.ts";
import {
  chunksOf,
  CUT_BYTES,
  FIRST_INLINE_ID,
  INLINE_IDS,
  JOB_WORDS,
  PART_BYTES,
  SAMPLE_WORDS,
  samplingShader,
  SCORE_WORDS,
} from "./sampling-shaders.ts";

export type SamplerOptions = {
  readonly memory: GpuMemory;
  readonly vocabularySize: number;
  /** `[rows, V]` f32. */
  readonly logits: GPUBuffer;
  readonly maxJobs: number;
  /** Maximum sampling jobs per batch. */
  readonly maxSamples: number;
};

type Kernel = "whole" | "all_parts" | "select_kept" | "kept_parts" | "finish" | "collect";
/** Kernels of every batch. */
const commonKernels = (vocabularySize: number): readonly Kernel[] =>
  chunksOf(vocabularySize).count === 1 ? ["whole"] : ["all_parts", "finish"];
/** Kernels of batches that restrict sampling. */
const RESTRICTED: readonly Kernel[] = [
  "all_parts",
  "select_kept",
  "kept_parts",
  "finish",
  "collect",
];

export class GpuSampler {
  readonly #options: SamplerOptions;
  /** Resolves when the kernels of every batch are compiled; await it before the first batch. */
  readonly compiled: Promise<void>;
  readonly #pipelines = new Map<Kernel, GPUComputePipeline>();
  readonly #compileNow: (kernel: Kernel) => GPUComputePipeline;
  readonly #layout: GPUBindGroupLayout;
  readonly #jobs: GPUBuffer;
  readonly #parts: GPUBuffer;
  readonly #cuts: GPUBuffer;
  readonly #results: GPUBuffer;
  readonly #keptIds: GPUBuffer;
  readonly #sizes: GPUBuffer;
  readonly #readback: GPUBuffer;
  #sets: GPUBuffer;
  #group: GPUBindGroup;
  readonly #words: Uint32Array<ArrayBuffer>;
  readonly #floats: Float32Array;

  constructor(options: SamplerOptions) {
    const { memory, vocabularySize, maxJobs, maxSamples } = options;
    const { device } = memory;
    this.#options = options;
    const module = device.createShaderModule({ code: samplingShader(vocabularySize) });
    const kinds = ["read-only-storage", "read-only-storage", "read-only-storage"] as const;
    const written = ["storage", "storage", "storage", "storage"] as const;
    this.#layout = device.createBindGroupLayout({
      entries: [...kinds, ...written, "uniform" as const].map((type, binding) => ({
        binding,
        visibility: 4, // GPUShaderStage.COMPUTE
        buffer: { type },
      })),
    });
    const layout = device.createPipelineLayout({ bindGroupLayouts: [this.#layout] });
    const pipeline = (entryPoint: Kernel): GPUComputePipelineDescriptor => ({
      layout,
      compute: { module, entryPoint },
    });
    this.#compileNow = (kernel) => device.createComputePipeline(pipeline(kernel));
    const compile = async (kernel: Kernel): Promise<void> => {
      this.#pipelines.set(kernel, await device.createComputePipelineAsync(pipeline(kernel)));
    };
    const common = commonKernels(vocabularySize);
    this.compiled = Promise.all(common.map(compile)).then(() => undefined);
    this.compiled.catch(() => undefined); // sampling reports it
    // In parallel with the graph's kernels, which compile one by one. A batch that needs them first
    // compiles synchronously.
    for (const kernel of RESTRICTED) {
      if (!common.includes(kernel)) void compile(kernel).catch(() => undefined);
    }
    const scratch = (bytes: number): GPUBuffer => memory.create("scratch", bytes);
    const chunks = chunksOf(vocabularySize).count;
    const resultWords = maxSamples * SAMPLE_WORDS + maxJobs * SCORE_WORDS;
    this.#jobs = scratch(maxJobs * JOB_WORDS * 4);
    this.#parts = scratch(maxJobs * chunks * PART_BYTES);
    this.#cuts = scratch(maxJobs * CUT_BYTES);
    this.#results = scratch(resultWords * 4);
    this.#keptIds = scratch(maxSamples * vocabularySize * 4);
    this.#sets = scratch(maxSamples * Math.ceil(vocabularySize / 32) * 4);
    this.#sizes = memory.create("scratch", 8, UNIFORM);
    device.queue.writeBuffer(this.#sizes, 0, Uint32Array.of(vocabularySize, chunks));
    const readback = (resultWords + maxSamples * PREFETCHED_IDS) * 4;
    this.#readback = memory.create("scratch", Math.max(readback, vocabularySize * 4), READBACK);
    this.#group = this.#bind();
    this.#words = new Uint32Array(maxJobs * JOB_WORDS);
    this.#floats = new Float32Array(this.#words.buffer);
  }

  /**
   * Writes the jobs and adds their kernels to a pass.
   *
   * @returns the batch: call `copy` on the encoder after the pass, and `read` after submitting.
   */
  encode(pass: GPUComputePassEncoder, jobs: readonly SamplerJob[]): SampledBatch {
    const { device } = this.#options.memory;
    const layout = new JobLayout(jobs, this.#options.vocabularySize);
    this.#writeSets(layout);
    layout.write(this.#words, this.#floats);
    device.queue.writeBuffer(this.#jobs, 0, this.#words, 0, jobs.length * JOB_WORDS);
    const chunks = chunksOf(this.#options.vocabularySize).count;
    const run = (kernel: Kernel, x: number, y: number): void => {
      pass.setPipeline(this.#pipelineOf(kernel));
      pass.dispatchWorkgroups(x, y);
    };
    pass.setBindGroup(0, this.#group);
    const isWhole = chunks === 1 && !layout.cuts && !layout.lists;
    if (isWhole) run("whole", jobs.length, 1);
    else {
      run("all_parts", chunks, jobs.length);
      if (layout.cuts) run("select_kept", jobs.length, 1);
      if (layout.cuts || layout.lists) run("kept_parts", chunks, jobs.length);
      run("finish", jobs.length, 1);
    }
    if (layout.collects) run("collect", chunks, jobs.length);
    return {
      copy: (encoder) => {
        const bytes = layout.resultWords * 4;
        encoder.copyBufferToBuffer(this.#results, 0, this.#readback, 0, bytes);
        let at = bytes;
        for (const { source, count } of layout.prefetched) {
          encoder.copyBufferToBuffer(this.#keptIds, source * 4, this.#readback, at, count * 4);
          at += count * 4;
        }
      },
      copyTokens: (encoder, buffer, offsets) => {
        for (const [index, offset] of offsets.entries()) {
          const from = (layout.results[index] as number) * 4;
          encoder.copyBufferToBuffer(this.#results, from, buffer, offset, 4);
        }
      },
      read: () => this.#read(layout),
    };
  }

  dispose(): void {
    const own = [this.#jobs, this.#parts, this.#cuts, this.#results, this.#keptIds, this.#sets];
    for (const buffer of [...own, this.#sizes, this.#readback]) buffer.destroy();
  }

  async #read(layout: JobLayout): Promise<JobResult[]> {
    const prefetched = layout.prefetched.reduce((sum, { count }) => sum + count, 0);
    const words = await this.#map((layout.resultWords + prefetched) * 4);
    const results: JobResult[] = [];
    for (const [index, job] of layout.jobs.entries()) {
      const numbers = new Float32Array(words.buffer);
      const at = layout.results[index] as number;
      if (job.output.kind === "score") {
        results.push({ score: scoreAt(words, numbers, at), sampled: null });
        continue;
      }
      const count = words[at + 5] as number;
      const sampled = {
        tokenId: words[at] as number,
        ...scoreAt(words, numbers, at + 1),
        keptTokenIds: this.#inlineIds(layout, index, words, count),
      };
      if (layout.isCut(index) && count > INLINE_IDS && sampled.keptTokenIds === null) {
        if (count < this.#options.vocabularySize) {
          sampled.keptTokenIds = await this.#readKept(layout.kept[index] as number, count);
        }
      }
      results.push({ sampled, score: null });
    }
    return results;
  }

  #inlineIds(
    layout: JobLayout,
    index: number,
    words: Uint32Array,
    count: number,
  ): readonly number[] | null {
    const { output } = layout.jobs[index] as SamplerJob;
    const isRestricted =
      layout.isCut(index) || (output.kind === "sample" && output.allowed !== null);
    if (!isRestricted || count === this.#options.vocabularySize) return null;
    if (count <= INLINE_IDS) {
      const first = (layout.results[index] as number) + FIRST_INLINE_ID;
      return [...words.subarray(first, first + count)];
    }
    let at = layout.resultWords;
    for (const prefetch of layout.prefetched) {
      if (prefetch.job === index && count <= prefetch.count) {
        return [...words.subarray(at, at + count)];
      }
      at += prefetch.count;
    }
    return null;
  }

  async #readKept(source: number, count: number): Promise<number[]> {
    const { device } = this.#options.memory;
    const encoder = device.createCommandEncoder();
    encoder.copyBufferToBuffer(this.#keptIds, source * 4, this.#readback, 0, count * 4);
    device.queue.submit([encoder.finish()]);
    return [...(await this.#map(count * 4))];
  }

  async #map(bytes: number): Promise<Uint32Array<ArrayBuffer>> {
    const readback = this.#readback;
    await this.#options.memory.untilLost(readback.mapAsync(1, 0, bytes)); // GPUMapMode.READ
    const words = new Uint32Array(readback.getMappedRange(0, bytes).slice(0));
    readback.unmap();
    return words;
  }

  #writeSets(layout: JobLayout): void {
    const { memory } = this.#options;
    if (layout.setWords * 4 > this.#sets.size) {
      this.#sets.destroy();
      this.#sets = memory.create("scratch", layout.setWords * 8);
      this.#group = this.#bind();
    }
    for (const { at, words } of layout.sets) {
      memory.device.queue.writeBuffer(this.#sets, at * 4, words as Uint32Array<ArrayBuffer>);
    }
  }

  #pipelineOf(kernel: Kernel): GPUComputePipeline {
    const known = this.#pipelines.get(kernel);
    if (known !== undefined) return known;
    const pipeline = this.#compileNow(kernel);
    this.#pipelines.set(kernel, pipeline);
    return pipeline;
  }

  #bind(): GPUBindGroup {
    const { memory, logits } = this.#options;
    const buffers = [
      logits,
      this.#jobs,
      this.#sets,
      this.#parts,
      this.#cuts,
      this.#results,
      this.#keptIds,
      this.#sizes,
    ];
    return memory.device.createBindGroup({
      layout: this.#layout,
      entries: buffers.map((buffer, binding) => ({ binding, resource: { buffer } })),
    });
  }
}

/** Which members are set depends on the job. */
export type JobResult = {
  readonly sampled: SampledToken | null;
  readonly score: TokenScore | null;
};

/** An encoded batch of jobs. */
export type SampledBatch = {
  /** Adds copies to memory that the host can read. */
  copy(encoder: GPUCommandEncoder): void;
  /** Adds copies of the drawn ids, one per job; all jobs must sample. */
  copyTokens(encoder: GPUCommandEncoder, buffer: GPUBuffer, offsets: readonly number[]): void;
  /**
   * One result for each job.
   *
   * @throws WaggleError `NON_FINITE_VALUE`, `DEVICE_LOST`.
   */
  read(): Promise<JobResult[]>;
};

function scoreAt(words: Uint32Array, numbers: Float32Array, at: number): TokenScore {
  const status = words[at + 3];
  if (status === 1) {
    throw new WaggleError(
      "NON_FINITE_VALUE",
      "logits are not finite or none is allowed; the weights or the device are faulty",
    );
  }
  return {
    behaviorLogProb: status === 2 ? Number.NEGATIVE_INFINITY : (numbers[at] as number),
    rawLogProb: numbers[at + 1] as number,
    entropy: numbers[at + 2] as number,
  };
}
