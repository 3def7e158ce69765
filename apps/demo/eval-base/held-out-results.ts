/** Evaluates a model on held-out tasks of an environment: success, and the shares of the parts of a verdict. */
import { decisionConfidence, finalTextOf, rollOut } from "@waggle/agent";
import type { EnvironmentSpec } from "@waggle/environments";
import { successRate } from "@waggle/evaluation";
import type { Prediction, SuccessRate } from "@waggle/evaluation";
import { derivedSeed } from "@waggle/protocol";
import type { Consent, Trajectory } from "@waggle/protocol";
import { heldOutTask } from "../../../trainer/src/evaluation/held-out.ts";
import type { EvaluatedModel, Evaluating } from "./evaluated-model.ts";

/** Nothing is kept. */
export const NO_CONSENT: Consent = {
  version: "none",
  scopes: [],
  grantedAt: "2026-01-01T00:00:00.000Z",
};

export type HeldOutResults = {
  readonly environment: string;
  readonly success: SuccessRate;
  /** The rate of each part that was asked for. A verdict without it, or with 0 or false, counts as a failure. */
  readonly parts: { readonly [part: string]: SuccessRate };
};

/** Runs `count` held-out tasks, with calls constrained to the tools. @param onRecord - gets every rollout. */
export async function heldOutResults(
  { policy, format, sampling, seed, limits }: EvaluatedModel,
  spec: EnvironmentSpec,
  count: number,
  parts: readonly string[],
  { onProgress, signal }: Evaluating,
  onRecord: (record: Trajectory) => void = () => undefined,
): Promise<{ readonly results: HeldOutResults; readonly predictions: readonly Prediction[] }> {
  const predictions: Prediction[] = [];
  const verdicts: { readonly [part: string]: unknown }[] = [];
  for (let nth = 0; nth < count; nth += 1) {
    const { environment, judge } = spec.create(heldOutTask(spec, nth, seed));
    const record = await rollOut({
      policy,
      environment,
      chatFormat: format,
      sampling,
      constrainToolCalls: true,
      limits: {
        ...limits,
        maxTurns: spec.maxTurns,
        maxTokensPerTurn: spec.maxTurnTokens ?? limits.maxTokensPerTurn,
      },
      consent: NO_CONSENT,
      client: policy.client,
      seed: derivedSeed(seed, nth),
      signal,
    });
    signal.throwIfAborted();
    const { success, parts: found } = await judge(finalTextOf(record, format));
    predictions.push({ confidence: decisionConfidence(record), success });
    onRecord(record);
    verdicts.push({ ...found });
    onProgress(nth + 1, count);
  }
  return {
    predictions,
    results: {
      environment: spec.name,
      success: successRate(predictions.map(({ success }) => success)),
      parts: Object.fromEntries(
        parts.map((part) => [part, successRate(verdicts.map((one) => Boolean(one[part])))]),
      ),
    },
  };
}
