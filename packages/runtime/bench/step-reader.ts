/** One backend in this process that decodes greedily after a prompt, timed in processor time. */
import type { Adapter } from "@waggle/model";
import type {
  DecoderBackend,
  DecoderCache,
  DecoderSession,
} from "../src/backend/decoder-backend.ts";
import { benchPrompt } from "./bench-models.ts";
import type { BenchModelName } from "./bench-models.ts";

/** Tokens of the prompt, unless another length is given. */
export const READER_PROMPT = 64;

/** Steps and prefills, each timed. */
export class StepReader {
  readonly #prompt: readonly number[];
  readonly #backend: DecoderBackend;
  readonly #session: DecoderSession;
  readonly tokenIds: number[] = [];
  readonly weights: number;
  /** Milliseconds of each step. */
  readonly steps: number[] = [];
  readonly prefills: number[] = [];
  #cache: DecoderCache;

  private constructor(
    prompt: readonly number[],
    backend: DecoderBackend,
    session: DecoderSession,
    cache: DecoderCache,
  ) {
    this.#prompt = prompt;
    this.#backend = backend;
    this.#session = session;
    this.#cache = cache;
    this.weights = backend.memory().weights;
  }

  static async open(
    model: BenchModelName,
    backend: DecoderBackend,
    promptLength = READER_PROMPT,
  ): Promise<StepReader> {
    const session = await backend.open(null);
    const prompt = benchPrompt(model, promptLength);
    const reader = new StepReader(prompt, backend, session, await session.createCache());
    reader.tokenIds.push((await reader.#read(prompt)).id);
    return reader;
  }

  get stepMs(): number {
    return median(this.steps);
  }

  get prefillMs(): number {
    return median(this.prefills);
  }

  async step(): Promise<void> {
    const { id, ms } = await this.#read([this.tokenIds.at(-1) as number]);
    this.tokenIds.push(id);
    this.steps.push(ms);
  }

  async prefill(): Promise<void> {
    this.#cache.dispose();
    this.#cache = await this.#session.createCache();
    this.prefills.push((await this.#read(this.#prompt)).ms);
  }

  /** Opens a session with an adapter, then releases it. Returns the milliseconds of opening. */
  async openAdapter(adapter: Adapter): Promise<number> {
    const began = processorMs();
    const session = await this.#backend.open(adapter);
    const ms = processorMs() - began;
    await session.release();
    return ms;
  }

  async close(): Promise<void> {
    this.#cache.dispose();
    await this.#backend.dispose();
  }

  async #read(tokenIds: readonly number[]): Promise<{ readonly id: number; readonly ms: number }> {
    const distribution = { temperature: 1, topK: 1, topP: 1 };
    const output = { kind: "sample", distribution, uniform: 0.5, allowed: null } as const;
    const began = processorMs();
    const [result] = await this.#session.run([{ cache: this.#cache, tokenIds, output }]);
    return { id: result?.sampled?.tokenId ?? -1, ms: processorMs() - began };
  }
}

/** Processor time of this process. Unlike time on the clock, it does not grow with other load. */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] as number;
}
