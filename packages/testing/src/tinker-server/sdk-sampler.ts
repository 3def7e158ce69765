/**
 * Samples tokens with a TrainEngine. The engine only scores given tokens, so each next token's
 * distribution takes one sequence for each token of the vocabulary: for tiny models in tests.
 */
import { seededRandom } from "@waggle/protocol";
import type { TrainEngine } from "@waggle/protocol";
import type { SampledTokens } from "./sdk-protobuf.ts";

/** The SDK's sampling parameters, as they travel. */
export type SamplingParams = {
  readonly max_tokens?: number;
  readonly seed?: number;
  readonly stop?: string | readonly (string | number)[];
  readonly temperature?: number;
  readonly top_k?: number;
  readonly top_p?: number;
};

const DEFAULT_MAX_TOKENS = 16;

/** @throws Error for stop strings, top-k and top-p, which need more than the engine has. */
export async function sampleTokens(
  engine: TrainEngine,
  vocabularySize: number,
  prompt: readonly number[],
  params: SamplingParams,
  place: number,
): Promise<SampledTokens> {
  const { temperature = 1, seed = 0, max_tokens = DEFAULT_MAX_TOKENS } = params;
  const stops = typeof params.stop === "string" ? [params.stop] : (params.stop ?? []);
  if (stops.some((stop) => typeof stop === "string")) throw new Error("stop strings are not read");
  if ((params.top_k ?? -1) !== -1 || (params.top_p ?? 1) !== 1) {
    throw new Error("top_k and top_p are not supported");
  }
  const draw = seededRandom(seed, place);
  const tokens: number[] = [];
  const logprobs: number[] = [];
  while (tokens.length < max_tokens) {
    const scores = await nextLogProbs(engine, vocabularySize, [...prompt, ...tokens]);
    const token = temperature === 0 ? best(scores) : pick(scores, temperature, draw());
    tokens.push(token);
    logprobs.push(scores[token] as number);
    if (stops.includes(token)) return { tokens, logprobs, stop_reason: "stop" };
  }
  return { tokens, logprobs, stop_reason: "length" };
}

/** Log-probs of a prompt's tokens; the first has none. */
export async function promptLogProbs(
  engine: TrainEngine,
  prompt: readonly number[],
): Promise<(number | null)[]> {
  const { logProb } = await engine.forward({ sequences: [{ tokenIds: prompt }] });
  return prompt.map((_, t) => (t === 0 ? null : (logProb[0]?.[t] as number)));
}

async function nextLogProbs(
  engine: TrainEngine,
  vocabularySize: number,
  context: readonly number[],
): Promise<number[]> {
  const sequences = Array.from({ length: vocabularySize }, (_, token) => ({
    tokenIds: [...context, token],
  }));
  const { logProb } = await engine.forward({ sequences });
  return logProb.map((row) => row[context.length] as number);
}

function best(scores: readonly number[]): number {
  return scores.indexOf(Math.max(...scores));
}

function pick(scores: readonly number[], temperature: number, at: number): number {
  const highest = Math.max(...scores);
  const weights = scores.map((score) => Math.exp((score - highest) / temperature));
  let left = at * weights.reduce((a, b) => a + b, 0);
  const index = weights.findIndex((weight) => (left -= weight) < 0);
  return index === -1 ? best(scores) : index;
}
