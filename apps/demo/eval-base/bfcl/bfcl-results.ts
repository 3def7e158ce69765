/** Evaluates a model on the leaderboard's cases: one turn each, of which only the calls are read. */
import { rollOut } from "@waggle/agent";
import { successRate } from "@waggle/evaluation";
import type { SuccessRate } from "@waggle/evaluation";
import { derivedSeed } from "@waggle/protocol";
import type { Environment, ToolCall } from "@waggle/protocol";
import type { EvaluatedModel, Evaluating } from "../evaluated-model.ts";
import { NO_CONSENT } from "../held-out-results.ts";
import { bfclTool } from "./bfcl-cases.ts";
import type { BfclCase, BfclCategory } from "./bfcl-cases.ts";
import { judgeCalls } from "./bfcl-judgment.ts";
import type { BfclJudgment } from "./bfcl-judgment.ts";

type BfclCategoryResults = {
  /** Exactly one call, of the right function. */
  readonly tool: SuccessRate;
  /** The same with accepted arguments: the leaderboard's figure. */
  readonly arguments: SuccessRate;
  /** Cases that do not fit into the context. They count as wrong. */
  readonly tooLong: number;
};

export type BfclResults = { readonly [category in BfclCategory]: BfclCategoryResults };

/** The leaderboard has no system text; models expect one. */
const SYSTEM = "You help with tools.";

/** Evaluates all cases. */
export async function bfclResults(
  model: EvaluatedModel,
  cases: readonly BfclCase[],
  { onProgress, signal }: Evaluating,
): Promise<BfclResults> {
  const judged: (BfclJudgment & {
    readonly category: BfclCategory;
    readonly isTooLong: boolean;
  })[] = [];
  for (const [nth, one] of cases.entries()) {
    const { calls, isTooLong } = await callsOf(model, one, nth, signal);
    judged.push({ ...judgeCalls(one, calls), category: one.category, isTooLong });
    onProgress(nth + 1, cases.length);
  }
  const resultsOf = (category: BfclCategory): BfclCategoryResults => {
    const own = judged.filter((one) => one.category === category);
    return {
      tool: successRate(own.map(({ tool }) => tool)),
      arguments: successRate(own.map((one) => one.arguments)),
      tooLong: own.filter(({ isTooLong }) => isTooLong).length,
    };
  };
  return { simple: resultsOf("simple"), multiple: resultsOf("multiple") };
}

async function callsOf(
  { policy, format, sampling, seed, limits }: EvaluatedModel,
  one: BfclCase,
  nth: number,
  signal: AbortSignal,
): Promise<{ readonly calls: readonly ToolCall[]; readonly isTooLong: boolean }> {
  const record = await rollOut({
    policy,
    environment: oneTurn(one),
    chatFormat: format,
    sampling,
    constrainToolCalls: true,
    limits: { ...limits, maxTurns: 1 },
    consent: NO_CONSENT,
    client: policy.client,
    seed: derivedSeed(seed, nth),
    signal,
  });
  signal.throwIfAborted();
  return {
    calls: record.turns.flatMap(({ toolCalls }) => toolCalls),
    isTooLong: record.stopReason === "context-overflow",
  };
}

/** Runs no call. */
function oneTurn({ question, functions }: BfclCase): Environment {
  return {
    task: null,
    observe: async () => ({
      system: SYSTEM,
      tools: functions.map(bfclTool),
      userMessage: question,
    }),
    step: async () => ({ toolResults: [], terminated: true }),
  };
}
