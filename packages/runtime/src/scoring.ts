/** Teacher-forced numbers of sequences that already exist: no sampling, no context that stays. */
import { WaggleError } from "@waggle/protocol";
import type { ScoreRequest, TokenScores } from "@waggle/protocol";
import type { DecoderCache, DecoderOutput, DecoderSession } from "./decoder-session.ts";
import { scoreToken } from "./sampler.ts";
import type { SerialQueue } from "./serial-queue.ts";
import { assertTokenIds } from "./token-ids.ts";

type Limits = { readonly contextLength: number; readonly vocabularySize: number };

/** Logits one batch of rows may take, in numbers: 64 MB. */
const MAX_LOGITS = 16 * 1024 * 1024;

/** Numbers of one sequence, read in runs of at most `maxRunTokens`. */
export async function scoreSequence(
  runs: SerialQueue,
  session: DecoderSession,
  request: ScoreRequest,
  limits: Limits,
): Promise<TokenScores> {
  assertRequest(request, limits);
  const scores = emptyScores(request.tokenIds.length);
  const inputs = request.tokenIds.slice(0, -1); // the last token predicts nothing that is asked
  let cache: DecoderCache | null = null;
  try {
    for (let start = 0; start < inputs.length; start += session.maxRunTokens) {
      const chunk = inputs.slice(start, start + session.maxRunTokens);
      const before: DecoderCache | null = cache;
      cache = null;
      const output: DecoderOutput = await runs.run(() => session.run(chunk, before));
      cache = output.cache;
      fillScores(scores, request, output.logits, start, chunk.length, limits.vocabularySize);
    }
  } finally {
    cache?.dispose();
  }
  return scores;
}

/** The same for many sequences, those of like length side by side. */
export async function scoreRows(
  runs: SerialQueue,
  session: DecoderSession,
  requests: readonly ScoreRequest[],
  limits: Limits,
): Promise<TokenScores[]> {
  for (const request of requests) assertRequest(request, limits);
  const scores = requests.map((request) => emptyScores(request.tokenIds.length));
  const order = requests
    .map((_, index) => index)
    .sort((a, b) => inputLength(requests, b) - inputLength(requests, a));
  while (order.length > 0) {
    const length = inputLength(requests, order[0] as number);
    if (length === 0) break; // nothing is predicted by sequences of one token, which come last
    if (length > session.maxRunTokens) {
      const index = order.shift() as number;
      scores[index] = (await scoreSequence(
        runs,
        session,
        requests[index] as ScoreRequest,
        limits,
      )) as MutableScores;
      continue;
    }
    const fits = Math.floor(MAX_LOGITS / (length * limits.vocabularySize));
    const batch = order
      .splice(0, Math.max(1, Math.min(fits, 64)))
      .filter((index) => inputLength(requests, index) > 0);
    const rows = batch.map((index) => (requests[index] as ScoreRequest).tokenIds.slice(0, -1));
    const logits = await runs.run(() => session.runRows(rows));
    for (const [row, index] of batch.entries()) {
      fillScores(
        scores[index] as MutableScores,
        requests[index] as ScoreRequest,
        logits.subarray(row * length * limits.vocabularySize),
        0,
        (rows[row] as readonly number[]).length,
        limits.vocabularySize,
      );
    }
  }
  return scores;
}

type MutableScores = {
  readonly behaviorLogProbs: number[];
  readonly rawLogProbs: number[];
  readonly entropies: number[];
};

function emptyScores(length: number): MutableScores {
  const zeros = (): number[] => Array.from({ length }, () => 0);
  return { behaviorLogProbs: zeros(), rawLogProbs: zeros(), entropies: zeros() };
}

function inputLength(requests: readonly ScoreRequest[], index: number): number {
  return Math.max(0, (requests[index] as ScoreRequest).tokenIds.length - 1);
}

/** Logits row s speaks of the token at `start + s + 1`. */
function fillScores(
  scores: MutableScores,
  request: ScoreRequest,
  logits: Float32Array,
  start: number,
  count: number,
  vocabularySize: number,
): void {
  for (let s = 0; s < count; s++) {
    const position = start + s + 1;
    const score = scoreToken(
      logits.subarray(s * vocabularySize, (s + 1) * vocabularySize),
      request.tokenIds[position] as number,
      request.sampling,
      request.keptTokenIds?.[position],
    );
    scores.behaviorLogProbs[position] = score.behaviorLogProb;
    scores.rawLogProbs[position] = score.rawLogProb;
    scores.entropies[position] = score.entropy;
  }
}

function assertRequest(
  { tokenIds, keptTokenIds }: ScoreRequest,
  { contextLength, vocabularySize }: Limits,
): void {
  assertTokenIds(tokenIds, vocabularySize);
  if (tokenIds.length > contextLength) {
    throw new WaggleError(
      "CONTEXT_OVERFLOW",
      `a scored sequence must hold at most ${contextLength} tokens, got ${tokenIds.length}; cut it or use a model with a longer context`,
    );
  }
  if (keptTokenIds !== undefined && keptTokenIds.length !== tokenIds.length) {
    throw new WaggleError(
      "SHAPE_MISMATCH",
      `keptTokenIds must have one entry per token, got ${keptTokenIds.length} for ${tokenIds.length} tokens; fill given tokens with null`,
    );
  }
}
