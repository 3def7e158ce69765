/**
 * Checks sequences and derivatives of a batch against the model and each other before anything runs.
 * `batch-support.ts` checks whether the engine supports what a batch asks for.
 */
import { WaggleError } from "@waggle/protocol";
import type { TokenDerivatives, TrainBatch, TrainSequence } from "@waggle/protocol";
import { temperatureOf } from "./packed-tree.ts";
import { checkTree } from "./sequence-tree.ts";

/** Checks one sequence against the model: tree, ids, lengths, temperatures, kept sets, candidates. */
export function checkSequence(
  sequence: TrainSequence,
  index: number,
  model: { readonly vocabularySize: number; readonly contextLength: number },
): void {
  const { tokenIds, temperatures, keptTokenIds, candidateTokenIds } = sequence;
  const { vocabularySize, contextLength } = model;
  checkTree(sequence, index, contextLength);
  const isId = (id: number): boolean => Number.isInteger(id) && id >= 0 && id < vocabularySize;
  const badToken = tokenIds.findIndex((id) => !isId(id));
  if (badToken !== -1) {
    throw invalid(
      `token ${badToken} of sequence ${index} has id ${tokenIds[badToken]}, which is not an integer in [0, ${vocabularySize})`,
      "use the tokenizer of this model",
    );
  }
  if (Array.isArray(temperatures)) checkLength("temperatures", temperatures, tokenIds, index);
  if (keptTokenIds) checkLength("keptTokenIds", keptTokenIds, tokenIds, index);
  if (candidateTokenIds) checkLength("candidateTokenIds", candidateTokenIds, tokenIds, index);
  for (let token = 1; token < tokenIds.length; token++) {
    const temperature = temperatureOf(sequence, token);
    if (!(temperature > 0 && Number.isFinite(temperature))) {
      throw invalid(
        `token ${token} of sequence ${index} has temperature ${temperature}, which is not positive and finite`,
        "record greedy samples as greedy and leave them out of the batch",
      );
    }
    const kept = keptTokenIds?.[token];
    if (kept && (kept.length === 0 || !kept.every(isId))) {
      throw invalid(
        `the kept set at token ${token} of sequence ${index} has ${kept.length} ids; it needs at least one, and all in [0, ${vocabularySize})`,
        "pass null for a token that was sampled from the whole vocabulary",
      );
    }
    const candidates = candidateTokenIds?.[token];
    if (candidates && !candidates.every(isId)) {
      throw invalid(
        `a candidate is outside [0, ${vocabularySize}) at token ${token} of sequence ${index}`,
        "use the tokenizer of this model for the teacher's candidates as well",
      );
    }
  }
}

/**
 * Checks derivatives against their batch.
 * @param valueHeads H, the number of value heads; 0 where the engine has none.
 * @throws WaggleError `SHAPE_MISMATCH` when lengths differ, `NON_FINITE_VALUE` on NaN or infinity.
 */
export function checkDerivatives(
  batch: TrainBatch,
  derivatives: TokenDerivatives,
  valueHeads: number = 0,
): void {
  for (const name of ["logProb", "rawLogProb", "entropy"] as const) {
    const arrays = derivatives[name];
    if (arrays === undefined) continue;
    if (arrays.length !== batch.sequences.length) {
      throw new WaggleError(
        "SHAPE_MISMATCH",
        `derivatives.${name} has ${arrays.length} arrays for ${batch.sequences.length} sequences; pass the batch that they were computed from`,
      );
    }
    arrays.forEach((array, index) => {
      checkLength(`derivatives.${name}`, array, batch.sequences[index]?.tokenIds ?? [], index);
      const bad = array.findIndex((value, token) => token > 0 && !Number.isFinite(value));
      if (bad !== -1) {
        throw new WaggleError(
          "NON_FINITE_VALUE",
          `derivatives.${name} is ${array[bad]} at token ${bad} of sequence ${index}; check the loss`,
        );
      }
    });
  }
  checkCandidateDerivatives(batch, derivatives);
  checkValueDerivatives(batch, derivatives, valueHeads);
}

function checkValueDerivatives(
  { sequences }: TrainBatch,
  { values }: TokenDerivatives,
  heads: number,
): void {
  if (values === undefined || heads === 0) return;
  const lengths = sequences.map(({ tokenIds }) => heads * tokenIds.length);
  if (values.map(({ length }) => length).join() !== lengths.join()) {
    throw new WaggleError(
      "SHAPE_MISMATCH",
      `derivatives.values must have ${heads} per token, [${lengths.slice(0, 9).join(", ")}], got [${Array.from(values.slice(0, 9), ({ length }) => length).join(", ")}]; pass the batch they were computed from`,
    );
  }
  const bad = values.findIndex((array) => !array.every(Number.isFinite));
  if (bad !== -1) {
    throw new WaggleError(
      "NON_FINITE_VALUE",
      `derivatives.values has NaN or infinity in sequence ${bad}; check the loss`,
    );
  }
}

function checkCandidateDerivatives(
  batch: TrainBatch,
  { candidateLogProbs }: TokenDerivatives,
): void {
  batch.sequences.forEach(({ tokenIds, candidateTokenIds }, index) => {
    for (let token = 1; token < tokenIds.length; token++) {
      const values = candidateLogProbs?.[index]?.[token] ?? null;
      if (values === null) continue;
      const count = candidateTokenIds?.[token]?.length ?? 0;
      if (values.length !== count) {
        throw new WaggleError(
          "SHAPE_MISMATCH",
          `derivatives.candidateLogProbs has ${values.length} entries for ${count} candidates at token ${token} of sequence ${index}`,
        );
      }
      if (!values.every(Number.isFinite)) {
        throw new WaggleError(
          "NON_FINITE_VALUE",
          `derivatives.candidateLogProbs has NaN or infinity at token ${token} of sequence ${index}; check the loss`,
        );
      }
    }
  });
}

function checkLength(
  name: string,
  array: ArrayLike<unknown>,
  tokenIds: readonly number[],
  index: number,
): void {
  if (array.length === tokenIds.length) return;
  throw new WaggleError(
    "SHAPE_MISMATCH",
    `${name} has ${array.length} entries for the ${tokenIds.length} tokens of sequence ${index}`,
  );
}

function invalid(fact: string, advice: string): WaggleError {
  return new WaggleError("INVALID_ARGUMENT", `${fact}; ${advice}`);
}
