/** Converts rows of a run to sampler jobs, and the jobs' results to the rows' results. */
import type { TokenScore } from "../../sampler.ts";
import type { DecoderRow, RowResult } from "../decoder-backend.ts";
import type { WebgpuCache } from "./cache-rows.ts";
import type { JobResult } from "./gpu-sampler.ts";
import type { SamplerJob } from "./job-layout.ts";
import type { StepInputs } from "./step-inputs.ts";

export const NOTHING: RowResult = { sampled: null, scores: null };

/**
 * The sampler jobs, and the rows of logits that they read.
 *
 * @param at - for each row, its index among the `placed` rows of the run.
 */
export function jobsOf(
  rows: readonly DecoderRow[],
  at: readonly number[],
  placed: number,
): { readonly jobs: SamplerJob[]; readonly logitRows: number[] } {
  const jobs: SamplerJob[] = [];
  const isStep = rows[0]?.tokenIds.length === 1;
  // A step computes logits for every row, including idle ones, so that recorded steps have one shape.
  const logitRows: number[] = isStep ? [...Array(placed).keys()] : [];
  for (const [order, { tokenIds, output }] of rows.entries()) {
    const row = at[order] as number;
    const logitRowOf = (position: number): number => {
      if (isStep) return row;
      logitRows.push(position);
      return logitRows.length - 1;
    };
    if (output.kind === "sample") {
      jobs.push({ logitRow: logitRowOf(tokenIds.length - 1), output });
    } else if (output.kind === "score") {
      for (const [position, target] of output.targets.entries()) {
        if (target >= 0) jobs.push({ logitRow: logitRowOf(position), output, position });
      }
    }
  }
  if (logitRows.length === 0) logitRows.push(0);
  return { jobs, logitRows };
}

export function resultsOf(rows: readonly DecoderRow[], answers: readonly JobResult[]): RowResult[] {
  let next = 0;
  return rows.map(({ output }) => {
    if (output.kind === "none") return NOTHING;
    if (output.kind === "sample") {
      return { sampled: answers[next++]?.sampled ?? null, scores: null };
    }
    const scores = output.targets.map((target): TokenScore | null =>
      target < 0 ? null : (answers[next++]?.score ?? null),
    );
    return { sampled: null, scores };
  });
}

/**
 * Whether these rows sampled in the previous run and in this one, so that they will probably
 * continue.
 */
export function continuesSampling(
  inputs: StepInputs,
  contextLength: number,
  rows: readonly DecoderRow[],
  caches: readonly WebgpuCache[],
): boolean {
  const before = inputs.drawing;
  const isDrawing = rows.every(({ output }) => output.kind === "sample");
  inputs.drawing = isDrawing ? caches : [];
  return (
    isDrawing &&
    rows.every(({ tokenIds }) => tokenIds.length === 1) &&
    before.length === caches.length &&
    caches.every((cache, index) => cache === before[index] && cache.length < contextLength)
  );
}
