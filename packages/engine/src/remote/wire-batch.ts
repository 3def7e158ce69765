/**
 * Converts sequences to data of the Tinker API and splits a batch into requests of limited size.
 *
 * A datum has all tokens but the last as input, all but the first as targets, and a weight per
 * target. `cross_entropy` is Σ −w·log π, so w = −dL/dlog π gives the gradient of any loss L, as in
 * the SDK's `forward_backward_custom` (tinker 0.25.0, `training_client.py`).
 */
import type { TokenDerivatives, TrainBatch, TrainSequence } from "@waggle/protocol";
import { treePaths } from "./tree-paths.ts";
import type { TreePath } from "./tree-paths.ts";

/** One sequence in the wire format. */
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

/** A datum with its sequence in the batch, and its path if that is a tree. */
export type PlacedDatum = {
  readonly sequence: number;
  readonly path: TreePath;
  readonly datum: Datum;
};

/** Data with zero weights, for log-probs. Leaves out paths of one token, which have no target. */
export function toForwardData({ sequences }: TrainBatch): PlacedDatum[] {
  return sequences.flatMap((tree, sequence) =>
    treePaths(tree)
      .filter(({ tokens }) => tokens.length > 1)
      .map((path) => {
        const weights = new Float32Array(path.tokens.length);
        return { sequence, path, datum: toDatum(idsOf(tree, path.tokens), weights) };
      }),
  );
}

/**
 * Data whose weights are the derivatives. Paths end at their last non-zero derivative; tokens
 * shared by several paths have their weight on the first. If all derivatives are 0, one datum with
 * zero weights remains, so that the next step sees zero gradients, as on a local engine.
 */
export function toBackwardData(batch: TrainBatch, derivatives: TokenDerivatives): PlacedDatum[] {
  const data = batch.sequences.flatMap((tree, sequence) => {
    const ofTokens = weightsOf(tree, sequence, derivatives);
    return treePaths(tree).flatMap(({ tokens, shared }) => {
      const weights = Float32Array.from(tokens, (token, place) =>
        place < Math.max(1, shared) ? 0 : (ofTokens[token] as number),
      );
      const last = weights.findLastIndex((weight) => weight !== 0);
      if (last < 1) return [];
      const path = { tokens: tokens.slice(0, last + 1), shared };
      const datum = toDatum(idsOf(tree, path.tokens), weights.subarray(0, last + 1));
      return [{ sequence, path, datum }];
    });
  });
  return data.length > 0 ? data : toForwardData(batch).slice(0, 1);
}

/** At temperature 1 and full support both log-probs are equal, so their derivatives add up. */
function weightsOf(
  { tokenIds }: TrainSequence,
  sequence: number,
  { logProb, rawLogProb }: TokenDerivatives,
): Float32Array {
  const weights = new Float32Array(tokenIds.length);
  for (let token = 1; token < weights.length; token++) {
    const sum = (logProb?.[sequence]?.[token] ?? 0) + (rawLogProb?.[sequence]?.[token] ?? 0);
    // Avoids −0, which JSON would write as 0.
    weights[token] = sum === 0 ? 0 : -sum;
  }
  return weights;
}

function idsOf({ tokenIds }: TrainSequence, tokens: readonly number[]): number[] {
  return tokens.map((token) => tokenIds[token] as number);
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

/** Nine digits identify a float32, in half the bytes of a float64 in JSON. */
function shortest(value: number): number {
  return Number(value.toPrecision(9));
}

/** Maximum size of one request. */
export type RequestLimits = {
  readonly sequences: number;
  /** Bytes of JSON before compression. */
  readonly bytes: number;
};

/** Splits data in order, before a datum that would exceed a limit. A single datum always fits. */
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
