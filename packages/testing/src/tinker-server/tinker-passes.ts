/**
 * Data of the Tinker API on a TrainEngine. `cross_entropy` is Σ −w·log π, `importance_sampling`
 * Σ −w·A·exp(log π − log q); other losses are refused. Targets must be the input, shifted by one.
 */
import type { TrainEngine } from "@waggle/protocol";

type Json = { readonly [name: string]: unknown };

export type PassResult = {
  /** `[targets]` for each datum. */
  readonly logProbs: readonly (readonly number[])[];
  readonly losses: readonly (readonly number[])[];
};

export type PassOptions = {
  readonly lossFunction: string;
  readonly isBackward: boolean;
  /** `sum` as documented; `mean` as SkyRL's jax backend, over each sequence's sum of weights. */
  readonly weighting: "sum" | "mean";
};

type ParsedDatum = {
  readonly tokenIds: readonly number[];
  readonly weights: readonly number[];
  readonly advantages: readonly number[];
  readonly behavior: readonly number[];
};

export async function runPass(
  engine: TrainEngine,
  data: readonly unknown[],
  { lossFunction, isBackward, weighting }: PassOptions,
): Promise<PassResult> {
  if (lossFunction !== "cross_entropy" && lossFunction !== "importance_sampling") {
    throw new Error(`Loss ${lossFunction} not supported`);
  }
  const parsed = data.map(toDatum);
  const sequences = parsed.map(({ tokenIds }) => ({ tokenIds }));
  const outputs = await engine.forward({ sequences });
  const logProbs = outputs.logProb.map((values) => Array.from(values.subarray(1)));
  // Of each token: its loss, and the loss' derivative by its log-prob.
  const tokens = parsed.map((datum, i) =>
    datum.weights.map((weight, t) => {
      const logProb = logProbs[i]?.[t] ?? 0;
      if (lossFunction === "cross_entropy") {
        return { loss: weight === 0 ? 0 : -weight * logProb, derivative: -weight };
      }
      const ratio = Math.exp(logProb - (datum.behavior[t] ?? 0));
      const loss = -weight * (datum.advantages[t] ?? 0) * ratio;
      return { loss, derivative: loss };
    }),
  );
  if (isBackward) {
    const derivatives = parsed.map(({ tokenIds, weights }, i) => {
      const sum = weights.reduce((a, b) => a + b, 0);
      const scale = weighting === "sum" ? 1 : 1 / Math.max(sum, 1e-9);
      const row = new Float32Array(tokenIds.length);
      tokens[i]?.forEach(({ derivative }, t) => (row[t + 1] = derivative * scale));
      return row;
    });
    await engine.backward({ sequences }, { logProb: derivatives });
  }
  return { logProbs, losses: tokens.map((row) => row.map(({ loss }) => loss)) };
}

function toDatum(raw: unknown): ParsedDatum {
  const { model_input, loss_fn_inputs } = raw as {
    readonly model_input: { readonly chunks: readonly { readonly tokens: readonly number[] }[] };
    readonly loss_fn_inputs: { readonly [name: string]: { readonly data: readonly number[] } };
  };
  const input = model_input.chunks.flatMap(({ tokens }) => tokens);
  const targets = loss_fn_inputs["target_tokens"]?.data ?? [];
  const isShifted =
    targets.length === input.length && input.slice(1).every((id, i) => id === targets[i]);
  if (!isShifted) throw new Error("target_tokens must be the input shifted by one");
  const member = (name: string): readonly number[] => loss_fn_inputs[name]?.data ?? [];
  return {
    tokenIds: [...input.slice(0, 1), ...targets],
    weights: loss_fn_inputs["weights"]?.data ?? targets.map(() => 1),
    advantages: member("advantages"),
    behavior: member("logprobs"),
  };
}

/** `{ data, dtype, shape }`, as outputs travel. */
export function wireTensor(data: readonly number[]): Json {
  return { data, dtype: "float32", shape: [data.length] };
}
