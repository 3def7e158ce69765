/**
 * Turns a batch of sequences of any length into padded microbatches for the graphs: longest first,
 * bounded in tokens, and only the rows (positions whose next token is asked for) that matter.
 * Padding is on the right, where causal attention never looks, so it changes no result.
 */
import { WaggleError } from "@waggle/protocol";
import type { TokenDerivatives, TrainBatch, TrainSequence } from "@waggle/protocol";

/** One token whose outputs or derivatives are in play: token `token` of sequence `sequence`. */
type AskedToken = { readonly sequence: number; readonly token: number };

export type Microbatch = {
  /** Sequences B and input tokens T of each, padding included. */
  readonly batch: number;
  readonly length: number;
  /** i32 `[B·T]` input ids, 0 where padded. */
  readonly ids: Int32Array;
  /**
   * i32 `[B·T]` place within its row of the token right before each, −1 for a first one and where
   * padded; null: every row is one plain sequence.
   */
  readonly parents: Int32Array | null;
  /** i32 `[B·T]`, or null: the place within the row. */
  readonly positions: Int32Array | null;
  /** `[K]` rows of `[B·T]` that predict the asked tokens, and the asked tokens themselves. */
  readonly rows: Int32Array;
  readonly targets: Int32Array;
  readonly asked: readonly AskedToken[];
  /** `[K]` 1/τ, or null where all temperatures are 1 and all supports full. */
  readonly inverseTemperatures: Float32Array | null;
  /** Kept ids of each row, or null where no row has a kept set. */
  readonly keptTokenIds: readonly (readonly number[] | null)[] | null;
  /** Candidates of each row, or null where no row has any. */
  readonly candidateTokenIds: readonly (readonly number[] | null)[] | null;
};

/** Which tokens of a sequence are asked for; token 0 never is. */
export type AskedRule = (sequence: number, token: number) => boolean;

/**
 * @param maxTokens bound on B·T of a microbatch; a longer single sequence makes one of its own.
 * @throws WaggleError `INVALID_ARGUMENT` on ids outside the vocabulary, temperatures that are not
 *   positive or an empty kept set; `SHAPE_MISMATCH` on arrays of another length than the tokens;
 *   `CONTEXT_OVERFLOW` on a sequence longer than the model's context.
 */
export function packMicrobatches(
  batch: TrainBatch,
  model: { readonly vocabularySize: number; readonly contextLength: number },
  maxTokens: number,
  isAsked: AskedRule,
): Microbatch[] {
  const work = batch.sequences
    .map((sequence, index) => {
      checkSequence(sequence, index, model);
      const tokens = [...sequence.tokenIds.keys()].filter(
        (token) => token > 0 && isAsked(index, token),
      );
      // The last asked token bounds what has to be read; it is itself only a target.
      return { index, sequence, tokens, length: tokens.at(-1) ?? 0 };
    })
    .filter(({ length }) => length > 0)
    .toSorted((a, b) => b.length - a.length || a.index - b.index);
  const microbatches: Microbatch[] = [];
  for (let start = 0; start < work.length;) {
    const length = work[start]?.length ?? 0;
    const count = Math.max(1, Math.floor(maxTokens / length));
    microbatches.push(pack(work.slice(start, start + count), length));
    start += count;
  }
  return microbatches;
}

type Work = {
  readonly index: number;
  readonly sequence: TrainSequence;
  readonly tokens: readonly number[];
};

function pack(work: readonly Work[], length: number): Microbatch {
  const count = work.reduce((sum, { tokens }) => sum + tokens.length, 0);
  const ids = new Int32Array(work.length * length);
  const rows = new Int32Array(count);
  const targets = new Int32Array(count);
  const inverseTemperatures = new Float32Array(count);
  const kept: (readonly number[] | null)[] = [];
  const candidates: (readonly number[] | null)[] = [];
  const asked: AskedToken[] = [];
  work.forEach(({ index, sequence, tokens }, place) => {
    ids.set(sequence.tokenIds.slice(0, length), place * length);
    for (const token of tokens) {
      const row = asked.length;
      rows[row] = place * length + token - 1;
      targets[row] = sequence.tokenIds[token] as number;
      inverseTemperatures[row] = 1 / temperatureOf(sequence, token);
      kept.push(sequence.keptTokenIds?.[token] ?? null);
      candidates.push(sequence.candidateTokenIds?.[token] ?? null);
      asked.push({ sequence: index, token });
    }
  });
  const isMasked = kept.some((ids) => ids !== null);
  const isTempered = isMasked || inverseTemperatures.some((value) => value !== 1);
  return {
    batch: work.length,
    length,
    ids,
    parents: null,
    positions: null,
    rows,
    targets,
    asked,
    inverseTemperatures: isTempered ? inverseTemperatures : null,
    keptTokenIds: isMasked ? kept : null,
    candidateTokenIds: candidates.some((ids) => ids !== null) ? candidates : null,
  };
}

function temperatureOf({ temperatures }: TrainSequence, token: number): number {
  if (temperatures === undefined || typeof temperatures === "number") return temperatures ?? 1;
  return temperatures[token] as number;
}

/** One sequence against the model: ids, lengths, temperatures, kept sets. */
export function checkSequence(
  sequence: TrainSequence,
  index: number,
  model: { readonly vocabularySize: number; readonly contextLength: number },
): void {
  const { tokenIds, temperatures, keptTokenIds, candidateTokenIds } = sequence;
  const { vocabularySize, contextLength } = model;
  if (tokenIds.length > contextLength) {
    throw new WaggleError(
      "CONTEXT_OVERFLOW",
      `a sequence must have at most ${contextLength} tokens, got ${tokenIds.length} in sequence ${index}; shorten it`,
    );
  }
  const isId = (id: number): boolean => Number.isInteger(id) && id >= 0 && id < vocabularySize;
  const badToken = tokenIds.findIndex((id) => !isId(id));
  if (badToken !== -1) {
    throw invalid(
      `token ids must be integers in [0, ${vocabularySize}), got ${tokenIds[badToken]} at token ${badToken} of sequence ${index}`,
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
        `a temperature must be positive and finite, got ${temperature} at token ${token} of sequence ${index}`,
        "record greedy samples as such and leave them out",
      );
    }
    const kept = keptTokenIds?.[token];
    if (kept && (kept.length === 0 || !kept.every(isId))) {
      throw invalid(
        `a kept set must hold at least one id, all in [0, ${vocabularySize}), got ${kept.length} ids at token ${token} of sequence ${index}`,
        "pass null where every token could be sampled",
      );
    }
    const candidates = candidateTokenIds?.[token];
    if (candidates && !candidates.every(isId)) {
      throw invalid(
        `candidates must be ids in [0, ${vocabularySize}), got another at token ${token} of sequence ${index}`,
        "use the tokenizer of this model for the teacher's candidates too",
      );
    }
  }
}

/**
 * Checks derivatives against their batch.
 * @throws WaggleError `SHAPE_MISMATCH` when lengths differ, `NON_FINITE_VALUE` on NaN or infinity.
 */
export function checkDerivatives(batch: TrainBatch, derivatives: TokenDerivatives): void {
  for (const name of ["logProb", "rawLogProb", "entropy"] as const) {
    const arrays = derivatives[name];
    if (arrays === undefined) continue;
    if (arrays.length !== batch.sequences.length) {
      throw new WaggleError(
        "SHAPE_MISMATCH",
        `derivatives.${name} must have one array per sequence, got ${arrays.length} for ${batch.sequences.length}; pass the batch they were computed from`,
      );
    }
    arrays.forEach((array, index) => {
      checkLength(`derivatives.${name}`, array, batch.sequences[index]?.tokenIds ?? [], index);
      const bad = array.findIndex((value, token) => token > 0 && !Number.isFinite(value));
      if (bad !== -1) {
        throw new WaggleError(
          "NON_FINITE_VALUE",
          `derivatives.${name} must be finite, got ${array[bad]} at token ${bad} of sequence ${index}; check the loss`,
        );
      }
    });
  }
  checkCandidateDerivatives(batch, derivatives);
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
          `derivatives.candidateLogProbs must have one entry per candidate, got ${values.length} for ${count} at token ${token} of sequence ${index}; align them`,
        );
      }
      if (!values.every(Number.isFinite)) {
        throw new WaggleError(
          "NON_FINITE_VALUE",
          `derivatives.candidateLogProbs must be finite, got another at token ${token} of sequence ${index}; check the loss`,
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
    `${name} must have one entry per token, got ${array.length} for ${tokenIds.length} tokens of sequence ${index}; align them`,
  );
}

function invalid(fact: string, advice: string): WaggleError {
  return new WaggleError("INVALID_ARGUMENT", `${fact}; ${advice}`);
}
