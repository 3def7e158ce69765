/**
 * Sequences as data of the Tinker API, and the split of a batch into requests of bounded size.
 *
 * A datum holds the tokens but the last as input, the tokens but the first as targets, and a weight
 * for each target. `cross_entropy` is Σ −w·log π, so w = −dL/dlog π gives the gradient of any L: the
 * same way as the SDK's `forward_backward_custom` (tinker 0.25.0, `training_client.py`).
 */
import type { TokenDerivatives, TrainBatch, TrainSequence } from "@waggle/protocol";

export type Datum = {
  readonly model_input: {
    readonly chunks: readonly [
      { readonly type: "encoded_text"; readonly tokens: readonly number[] },
    ];
  };
  readonly loss_fn_inputs: {
    readonly target_tokens: WireTensor;
    readonly weights: WireTensor;
  };
};

type WireTensor = {
  readonly data: readonly number[];
  readonly dtype: "int64" | "float32";
  readonly shape: readonly [number];
};

/** A datum and the sequence of the batch that it stands for. */
export type PlacedDatum = { readonly sequence: number; readonly datum: Datum };

/** Data without weight, for log-probs; a sequence of one token has no target and none is made. */
export function toForwardData({ sequences }: TrainBatch): PlacedDatum[] {
  return sequences.flatMap(({ tokenIds }, sequence) =>
    tokenIds.length < 2
      ? []
      : [{ sequence, datum: toDatum(tokenIds, new Float32Array(tokenIds.length)) }],
  );
}

/**
 * Data whose weights are the derivatives, sequences only as far as their last one that is not 0.
 * Where all are 0, one datum without weight remains: a step after it sees gradients of 0, as on an
 * engine of this machine.
 */
export function toBackwardData(batch: TrainBatch, derivatives: TokenDerivatives): PlacedDatum[] {
  const data = batch.sequences.flatMap(({ tokenIds }, sequence) => {
    const weights = weightsOf(batch.sequences[sequence] as TrainSequence, sequence, derivatives);
    const last = weights.findLastIndex((weight) => weight !== 0);
    if (last < 1) return [];
    const datum = toDatum(tokenIds.slice(0, last + 1), weights.subarray(0, last + 1));
    return [{ sequence, datum }];
  });
  return data.length > 0 ? data : toForwardData(batch).slice(0, 1);
}

/** Temperature 1 and full support: both log-probs are one number, whose derivatives add up. */
function weightsOf(
  { tokenIds }: TrainSequence,
  sequence: number,
  { logProb, rawLogProb }: TokenDerivatives,
): Float32Array {
  const weights = new Float32Array(tokenIds.length);
  for (let token = 1; token < weights.length; token++) {
    const sum = (logProb?.[sequence]?.[token] ?? 0) + (rawLogProb?.[sequence]?.[token] ?? 0);
    // Not −0, which JSON would write as 0 and a comparison take for another number.
    weights[token] = sum === 0 ? 0 : -sum;
  }
  return weights;
}

function toDatum(tokenIds: readonly number[], weights: Float32Array): Datum {
  const shape = [tokenIds.length - 1] as const;
  return {
    model_input: { chunks: [{ type: "encoded_text", tokens: tokenIds.slice(0, -1) }] },
    loss_fn_inputs: {
      target_tokens: { data: tokenIds.slice(1), dtype: "int64", shape },
      weights: { data: Array.from(weights.subarray(1), shortest), dtype: "float32", shape },
    },
  };
}

/** Nine digits tell every float32 from every other: half the bytes of a float64 in JSON. */
function shortest(value: number): number {
  return Number(value.toPrecision(9));
}

export type RequestLimits = {
  readonly sequences: number;
  /** Of JSON, before compression. */
  readonly bytes: number;
};

/** The data in order, cut where the next datum would exceed a limit; one datum always fits. */
export function splitData(data: readonly PlacedDatum[], limits: RequestLimits): PlacedDatum[][] {
  const requests: PlacedDatum[][] = [];
  let bytes = 0;
  for (const placed of data) {
    const size = JSON.stringify(placed.datum).length + 1;
    const current = requests.at(-1);
    const isFull =
      current === undefined || current.length >= limits.sequences || bytes + size > limits.bytes;
    if (isFull) {
      requests.push([placed]);
      bytes = size;
    } else {
      current.push(placed);
      bytes += size;
    }
  }
  return requests;
}
