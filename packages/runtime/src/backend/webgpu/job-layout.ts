/**
 * The jobs of a batch, and their layout in the device's buffers: words of jobs, results and sets.
 * Runs nothing.
 */
import { WaggleError } from "@waggle/protocol";
import type { RowOutput } from "../decoder-backend.ts";
import { INLINE_IDS, JOB_WORDS, NONE, SAMPLE_WORDS, SCORE_WORDS } from "./sampling-shaders.ts";

/** A request about one row of logits. */
export type SamplerJob =
  | { readonly logitRow: number; readonly output: Extract<RowOutput, { kind: "sample" }> }
  | {
      readonly logitRow: number;
      readonly output: Extract<RowOutput, { kind: "score" }>;
      /** Index into the output's targets. */
      readonly position: number;
    };

/** Number of kept ids returned with the results if top-k limits them; more need a second read. */
export const PREFETCHED_IDS = 256;

/** Layout of a batch. Offsets are in words. */
export class JobLayout {
  readonly jobs: readonly SamplerJob[];
  readonly results: number[] = [];
  readonly kept: number[] = [];
  readonly sets: { readonly at: number; readonly words: Uint32Array }[] = [];
  readonly prefetched: {
    readonly job: number;
    readonly source: number;
    readonly count: number;
  }[] = [];
  resultWords = 0;
  setWords = 0;
  cuts = false;
  lists = false;
  collects = false;
  readonly #vocabularySize: number;
  readonly #setOf: number[] = [];

  constructor(jobs: readonly SamplerJob[], vocabularySize: number) {
    this.jobs = jobs;
    this.#vocabularySize = vocabularySize;
    let keptWords = 0;
    for (const [index, job] of jobs.entries()) {
      const isSample = job.output.kind === "sample";
      const isCut = this.isCut(index);
      this.results.push(this.resultWords);
      this.resultWords += isSample ? SAMPLE_WORDS : SCORE_WORDS;
      const isGreedy = isCut && job.output.distribution.topK === 1;
      this.cuts ||= isCut && !isGreedy;
      const set = setOf(job);
      this.lists ||= !isSample && set !== null;
      this.#setOf.push(set === null ? NONE : this.setWords);
      if (set !== null) {
        this.sets.push({ at: this.setWords, words: set });
        this.setWords += set.length;
      }
      this.kept.push(isSample && isCut && !isGreedy ? keptWords : NONE);
      if (!isSample || isGreedy) continue;
      this.collects ||= isCut || set !== null;
      if (!isCut) continue;
      const { topK } = job.output.distribution;
      if (topK > INLINE_IDS && topK <= PREFETCHED_IDS) {
        const count = Math.min(topK, vocabularySize);
        this.prefetched.push({ job: index, source: keptWords, count });
      }
      keptWords += vocabularySize;
    }
  }

  /** Whether top-k or top-p may cut the row. */
  isCut(index: number): boolean {
    const job = this.jobs[index] as SamplerJob;
    const { topK, topP } = job.output.distribution;
    if (job.output.kind === "score" && keptOf(job) !== undefined) return false;
    return (topK > 0 && topK < this.#vocabularySize) || topP < 1;
  }

  write(words: Uint32Array, floats: Float32Array): void {
    for (const [index, job] of this.jobs.entries()) {
      const at = index * JOB_WORDS;
      const { output, logitRow } = job;
      const { temperature, topK, topP } = output.distribution;
      const isSample = output.kind === "sample";
      const isCut = this.isCut(index);
      const set = this.#setOf[index] as number;
      words[at] = logitRow;
      words[at + 1] = isSample ? 0 : 1;
      floats[at + 2] = temperature;
      words[at + 3] = isCut && topK < this.#vocabularySize ? topK : 0;
      floats[at + 4] = isCut ? topP : 1;
      floats[at + 5] = isSample ? output.uniform : 0;
      words[at + 6] = "position" in job ? (job.output.targets[job.position] as number) : 0;
      words[at + 7] = isSample ? set : NONE;
      words[at + 8] = isSample ? NONE : set;
      words[at + 9] = isSample ? 0 : (keptOf(job)?.length ?? 0);
      words[at + 10] = this.results[index] as number;
      words[at + 11] = this.kept[index] as number;
    }
  }
}

/** The kept set of a scored position: `null` for all ids, absent for what top-k and top-p keep. */
function keptOf(job: SamplerJob): readonly number[] | null | undefined {
  return "position" in job ? job.output.kept?.[job.position] : undefined;
}

/** @throws WaggleError `INVALID_ARGUMENT` for a kept set without its token. */
function setOf(job: SamplerJob): Uint32Array | null {
  if (!("position" in job)) return job.output.allowed;
  const kept = keptOf(job);
  if (kept === undefined || kept === null) return null;
  const target = job.output.targets[job.position] as number;
  if (!kept.includes(target)) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `token ${target} is not in its kept set of size ${kept.length}; pass the ids recorded with the sample, ascending`,
    );
  }
  return Uint32Array.from(kept);
}
