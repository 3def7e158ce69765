/** Teacher-forced scores of an existing sequence, read with its own cache. */
import type { DrawInterval, ScoreRequest, TokenScores } from "@waggle/protocol";
import type { DecoderSession, RowOutput, RowResult } from "../backend/decoder-backend.ts";
import type { ResidentAdapter } from "./decoder-device.ts";
import { Job } from "./job.ts";
import { Sequence } from "./sequence.ts";

type KeptSets = readonly (readonly number[] | null)[];

export class ScoreJob extends Job {
  readonly #request: ScoreRequest;
  readonly #kept: KeptSets | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #scores: {
    readonly behaviorLogProbs: number[];
    readonly rawLogProbs: number[];
    readonly entropies: number[];
    readonly drawIntervals?: (DrawInterval | null)[];
  };
  readonly #done: PromiseWithResolvers<TokenScores> = Promise.withResolvers();
  /** Position of the first token its row reads. */
  #start = 0;

  /** @param kept - `[T]` ids that could be sampled. Absent: those that top-k and top-p keep. */
  constructor(
    resident: ResidentAdapter,
    request: ScoreRequest,
    kept: KeptSets | undefined,
    signal: AbortSignal | undefined,
  ) {
    super(resident, new Sequence(request.tokenIds));
    this.#request = request;
    this.#kept = kept;
    this.#signal = signal;
    const zeros = (): number[] => request.tokenIds.map(() => 0);
    this.#scores = {
      behaviorLogProbs: zeros(),
      rawLogProbs: zeros(),
      entropies: zeros(),
      ...(request.drawnAmong && { drawIntervals: request.tokenIds.map(() => null) }),
    };
  }

  /** Rejects with the signal's reason after an abort. */
  get done(): Promise<TokenScores> {
    return this.#done.promise;
  }

  unread(): number {
    if (this.#signal?.aborted) return 0;
    // The prediction of the last token is not needed.
    return Math.max(0, this.#request.tokenIds.length - 1 - (this.sequence.cache?.length ?? 0));
  }

  take({ scores }: RowResult): void {
    for (const [index, score] of (scores ?? []).entries()) {
      if (score === null) continue;
      const position = this.#start + index + 1;
      this.#scores.behaviorLogProbs[position] = score.behaviorLogProb;
      this.#scores.rawLogProbs[position] = score.rawLogProb;
      this.#scores.entropies[position] = score.entropy;
      const { drawIntervals } = this.#scores;
      if (drawIntervals) drawIntervals[position] = score.drawInterval ?? null;
    }
  }

  settle(): void {
    if (this.#signal?.aborted) this.#done.reject(this.#signal.reason);
    else this.#done.resolve(this.#scores);
  }

  fail(error: unknown): void {
    this.#done.reject(error);
  }

  /** All its tokens are scored. */
  override most({ maxRunTokens, maxRunScores }: DecoderSession): number {
    return Math.min(maxRunTokens, maxRunScores);
  }

  protected outputFor(start: number, count: number): RowOutput {
    this.#start = start;
    const targets = this.#request.tokenIds.slice(start + 1, start + count + 1);
    const kept = this.#kept?.slice(start + 1, start + count + 1);
    const { sampling: distribution, drawnAmong: among } = this.#request;
    const drawnAmong = among?.slice(start + 1, start + count + 1);
    return { kind: "score", targets, distribution, kept, drawnAmong };
  }
}
