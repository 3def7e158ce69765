/**
 * Losses with inner steps on fast weights before each outer step. The outer gradient is computed at the fast
 * weights, and its step is applied to the original parameters. First order: no gradient flows through the
 * inner steps.
 *
 * Source: first-order MAML, Finn et al. 2017, arXiv:1703.03400, section 5.2.
 */
import type { TensorMap } from "@waggle/protocol";
import type { InnerSteps, LossPart, Minibatch } from "../../composition/part.ts";
import type { StateName } from "../../composition/state.ts";
import type { LossResult } from "../../loss.ts";
import { taskVector, withTaskVectors } from "../../merging/task-vectors.ts";
import type { LossMask } from "../../token-rows.ts";
import { lossPart } from "../loss-part.ts";
import { supervisedLoss } from "./supervised-loss.ts";

/** `bilevel`: computes `outer` at fast weights, after some inner steps of another loss. */
export function bilevel<N extends StateName>(
  outer: LossPart<N>,
  inner: InnerSteps,
): LossPart<N | "fast-weights"> {
  return {
    ...outer,
    part: "bilevel",
    needs: [...outer.needs, "fast-weights"],
    around: [outer],
    inner,
  };
}

/** slow + (stepped − fast): the change by an outer step from the fast weights, applied to the slow ones. */
export function withOuterStep(slow: TensorMap, fast: TensorMap, stepped: TensorMap): TensorMap {
  return withTaskVectors(slow, [taskVector(stepped, fast)], 1);
}

/** Inner steps on the context (prompts and tool results), in the attention weights only. */
export function readsContext(steps: number, learningRate: number): InnerSteps {
  return {
    steps,
    learningRate,
    trains: (names) => new Set(names.filter((name) => /self_attn/.test(name))),
    compute: (minibatch) => onTokens(minibatch, (_, sampled, t) => !sampled && t > 0),
  };
}

/** Inner steps on every second demonstration; `forQuery` is the loss of the others. */
export function learnsSupport(steps: number, learningRate: number): InnerSteps {
  return {
    steps,
    learningRate,
    compute: (minibatch) => onTokens(minibatch, (row, sampled) => sampled && row % 2 === 0),
  };
}

/** `ce` of the demonstrations that the inner steps did not use. */
export function forQuery(): LossPart {
  return lossPart("ce", (minibatch) =>
    onTokens(minibatch, (row, sampled) => sampled && row % 2 === 1),
  );
}

function onTokens(
  minibatch: Minibatch,
  counts: (row: number, sampled: boolean, t: number) => boolean,
): LossResult {
  const lossMask: LossMask = minibatch.lossMask.map((mask, row) =>
    mask.map((sampled, t) => counts(row, sampled, t)),
  );
  return supervisedLoss({ ...minibatch, weights: undefined, lossMask });
}
