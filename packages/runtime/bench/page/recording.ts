/** What sessions, scheduling and records add to the back end's own sampling, in one thread. */
import { benchPrompt } from "../bench-models.ts";
import type { BenchModelName } from "../bench-models.ts";
import { interleavedBest } from "../interleaved.ts";
import { openInPage, policyInPage } from "./in-page-policy.ts";

export type RecordingOptions = {
  readonly model: BenchModelName;
  readonly threads: number;
  readonly rounds: number;
  readonly promptLength: number;
  readonly count: number;
};

export type RecordingResult = {
  /** Milliseconds for all tokens. */
  readonly recorded: number;
  readonly unrecorded: number;
  readonly agree: boolean;
};

const GREEDY = { temperature: 1, topK: 1, topP: 1 };

export async function measure(options: RecordingOptions): Promise<RecordingResult> {
  const { model, threads, rounds, promptLength, count } = options;
  const prompt = benchPrompt(model, promptLength);
  const policy = await policyInPage(model, threads);
  const backend = await openInPage(model, threads);
  const session = await backend.open(null);
  const outputs = new Set<string>();
  const [recorded = 0, unrecorded = 0] = await interleavedBest(rounds, [
    async () => {
      const context = await policy.createContext();
      context.append(prompt);
      const sampling = { ...GREEDY, seed: 1 };
      const first = await context.generate({ sampling, stopTokenIds: [], maxTokens: 1 });
      const start = performance.now();
      const rest = await context.generate({ sampling, stopTokenIds: [], maxTokens: count });
      const ms = performance.now() - start;
      context.dispose();
      outputs.add([...first.tokenIds, ...rest.tokenIds].join());
      return ms;
    },
    async () => {
      const cache = await session.createCache();
      const output = {
        kind: "sample",
        distribution: GREEDY,
        uniform: 0.5,
        allowed: null,
      } as const;
      const tokenIds: number[] = [];
      const read = async (given: readonly number[]): Promise<void> => {
        const answer = session.run([{ cache, tokenIds: given, output }]);
        const [result] = answer instanceof Promise ? await answer : answer;
        tokenIds.push(result?.sampled?.tokenId ?? -1);
      };
      for (let at = 0; at < prompt.length; at += session.maxRunTokens) {
        tokenIds.length = 0; // what earlier pieces predict is not wanted
        await read(prompt.slice(at, at + session.maxRunTokens));
      }
      const start = performance.now();
      for (let step = 0; step < count; step++) await read([tokenIds.at(-1) as number]);
      const ms = performance.now() - start;
      cache.dispose();
      outputs.add(tokenIds.join());
      return ms;
    },
  ]);
  await policy.dispose();
  await session.release();
  await backend.dispose();
  return { recorded, unrecorded, agree: outputs.size === 1 };
}
