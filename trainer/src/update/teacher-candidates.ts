/**
 * A teacher's most probable tokens at each loss token, including ones the rollout did not take. Engines
 * have no top-k output, so the log-probs of the whole vocabulary are requested and the largest kept,
 * one sequence at a time. The peak memory is one sequence's tokens times the vocabulary.
 */
import type { LossMask, Stage } from "@waggle/learning";
import { type TrainEngine, type TrainSequence, WaggleError } from "@waggle/protocol";
import type { BatchEngine } from "./role-engine.ts";

/** `[B][T]` of `[K]`, most probable first; `null` at tokens that were not requested. */
export type TeacherCandidates = {
  readonly tokenIds: readonly (readonly (readonly number[] | null)[])[];
  readonly logProbs: readonly (readonly (Float32Array | null)[])[];
};

/** Finds a teacher's most probable tokens at the tokens in the mask. */
export type CandidateScorer = (
  sequences: readonly TrainSequence[],
  lossMask: LossMask,
  count: number,
) => Promise<TeacherCandidates>;

/** @param vocabularySize - rows of the head. With fewer tokens than `count`, all are returned. */
export function candidateScorer(
  teacher: Pick<TrainEngine, "forward">,
  vocabularySize: number,
): CandidateScorer {
  const all = Array.from({ length: vocabularySize }, (_, id) => id);
  return async (sequences, lossMask, count) => {
    const tokenIds: (readonly number[] | null)[][] = [];
    const logProbs: (Float32Array | null)[][] = [];
    for (const [b, { tokenIds: said }] of sequences.entries()) {
      const asked = said.map((_, t) => (lossMask[b]?.[t] === true ? all : null));
      const { candidateLogProbs = [] } = await teacher.forward({
        sequences: [{ tokenIds: said, candidateTokenIds: asked }],
      });
      const ids = said.map((_, t) => {
        const row = candidateLogProbs[0]?.[t] ?? null;
        return row === null ? null : likeliest(row, count);
      });
      tokenIds.push(ids);
      logProbs.push(
        ids.map((chosen, t) => {
          const row = candidateLogProbs[0]?.[t];
          return chosen === null || row == null
            ? null
            : Float32Array.from(chosen, (id) => row[id] ?? Number.NaN);
        }),
      );
    }
    return { tokenIds, logProbs };
  };
}

/** Ids of the largest values, largest first. */
function likeliest(row: Float32Array, count: number): number[] {
  const best: number[] = [];
  const at = (id: number | undefined): number => (id === undefined ? -Infinity : row[id]!);
  for (const id of row.keys()) {
    if (best.length === count && at(id) <= at(best.at(-1))) continue;
    const place = best.findIndex((other) => at(other) < at(id));
    best.splice(place === -1 ? best.length : place, 0, id);
    if (best.length > count) best.pop();
  }
  return best;
}

/**
 * The teacher candidates that the stage's losses read; `null` if none does.
 *
 * @throws WaggleError `CAPABILITY_MISSING` if the engine takes no derivatives of candidates, or if
 * no teacher was opened.
 */
export async function candidatesOf(
  { name, losses }: Stage,
  engine: BatchEngine,
  sequences: readonly TrainSequence[],
  lossMask: LossMask,
  { teacherCandidates }: { readonly teacherCandidates?: CandidateScorer },
): Promise<TeacherCandidates | null> {
  const count = Math.max(0, ...losses.map(({ loss }) => loss.candidates ?? 0));
  if (count === 0) return null;
  const { derivatives, device } = engine.capabilities();
  if (!derivatives.includes("candidateLogProbs")) {
    throw new WaggleError(
      "CAPABILITY_MISSING",
      `stage ${name} needs derivatives of candidate tokens, which ${device} does not support (nor do several roles or packed rows); train one model with --device cpu or choose another recipe`,
    );
  }
  if (teacherCandidates === undefined) {
    throw new WaggleError(
      "CAPABILITY_MISSING",
      `stage ${name} needs a teacher's most probable tokens, but no teacher is open; open one with --teacher or choose another recipe`,
    );
  }
  return teacherCandidates(sequences, lossMask, count);
}

/** The sequences with the candidates to score at each token. */
export function withCandidates(
  sequences: readonly TrainSequence[],
  candidates: TeacherCandidates | null,
): readonly TrainSequence[] {
  if (candidates === null) return sequences;
  return sequences.map((sequence, b) => ({
    ...sequence,
    candidateTokenIds: candidates.tokenIds[b],
  }));
}
