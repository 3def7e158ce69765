/** One backend in this process that decodes greedily after a prompt, timed in processor time. */
import type {
  DecoderBackend,
  DecoderCache,
  DecoderSession,
} from "../src/backend/decoder-backend.ts";
import { benchPrompt } from "./bench-models.ts";
import type { BenchModelName } from "./bench-models.ts";

/** Tokens of the prompt. */
export const READER_PROMPT = 64;

export class StepReader {
  readonly #model: BenchModelName;
  readonly #backend: DecoderBackend;
  readonly #session: DecoderSession;
  readonly tokenIds: number[] = [];
  readonly weights: number;
  /** Milliseconds of each step. */
  readonly steps: number[] = [];
  readonly prefills: number[] = [];
  #cache: DecoderCache;

  private constructor(
    model: BenchModelName,
    backend: DecoderBackend,
    session: DecoderSession,
    cache: DecoderCache,
  ) {
    this.#model = model;
    this.#backend = backend;
    this.#session = session;
    this.#cache = cache;
    this.weights = backend.memory().weights;
  }

  static async open(model: BenchModelName, backend: DecoderBackend): Promise<StepReader> {
    const session = await backend.open(null);
    const reader = new StepReader(model, backend, session, await session.createCache());
    reader.tokenIds.push((await reader.#read(benchPrompt(model, READER_PROMPT))).id);
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
    this.prefills.push((await this.#read(benchPrompt(this.#model, READER_PROMPT))).ms);
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
