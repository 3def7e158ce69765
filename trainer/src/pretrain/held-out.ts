/**
 * Held-out evaluation: a policy rolls out tasks that training never used, and the environment's
 * verifier judges them.
 */
import { type EnvironmentRollout, environmentRollout } from "@waggle/agent/environments";
import { type EnvironmentSpec, unseenPatterns } from "@waggle/environments";
import { successRate } from "@waggle/evaluation";
import type { SuccessRate } from "@waggle/evaluation";
import type { Turn } from "@waggle/protocol";
import type { AdaptivePolicy } from "@waggle/runtime/node";
import type { ChatFormat } from "@waggle/text";
import { rollOutTasks } from "../evaluation/evaluation.ts";
import { samplingAt } from "../evaluation/temperature.ts";

type RolloutOutcome = {
  readonly kind: string;
  readonly unseen: boolean;
  readonly success: boolean;
  /** Turns with a call, or with text that resembles one. */
  readonly callTurns: number;
  /**
   * Those of them that could not be parsed, or whose calls had an unknown tool or wrong arguments.
   */
  readonly malformedTurns: number;
  readonly tokens: number;
};

const MALFORMED: ReadonlySet<string> = new Set(["UNKNOWN_TOOL", "INVALID_TOOL_ARGUMENTS"]);

/** Rolls out the first `count` held-out tasks, one after the other. */
async function rollOutHeldOut(
  spec: EnvironmentSpec,
  policy: AdaptivePolicy,
  chat: ChatFormat,
  count: number,
  temperature: number,
): Promise<RolloutOutcome[]> {
  const { signal } = new AbortController();
  const references = Array.from({ length: count }, (_, seed) => spec.reference(seed, "heldOut", 0));
  const isUnseen = unseenPatterns(spec, references);
  return rollOutTasks({
    tasks: references.map((task, seed) => ({ place: seed, task, seed })),
    rollOut: async ({ task, seed }, sampling) => {
      const options = { sampling, seed };
      const rollout = await environmentRollout(policy, chat, spec, task, options, signal);
      return outcomeOf(spec.task(task).kind, isUnseen[seed] === true, rollout);
    },
    sampling: samplingAt(temperature),
    isBatched: false,
    signal,
  });
}

function outcomeOf(
  kind: string,
  unseen: boolean,
  { record, verification }: EnvironmentRollout,
): RolloutOutcome {
  const callTurns = record.turns.filter(
    (turn) => turn.toolCalls.length > 0 || turn.parseError !== null,
  );
  return {
    kind,
    unseen,
    success: verification.success,
    callTurns: callTurns.length,
    malformedTurns: callTurns.filter(isMalformed).length,
    tokens: record.segments.reduce((sum, segment) => sum + segment.tokenIds.length, 0),
  };
}

function isMalformed({ toolResults, parseError }: Turn): boolean {
  return (
    parseError !== null ||
    toolResults.some((result) => !result.ok && MALFORMED.has(result.error.code))
  );
}

/** Results of one sampling mode. */
type ModeResults = {
  readonly overall: SuccessRate;
  /** Tasks worded by templates that pretraining never used; `null` without such tasks. */
  readonly unseenTemplates: SuccessRate | null;
  readonly families: { readonly [kind: string]: SuccessRate };
  /** Share of turns with calls in which all calls were readable and valid; `null` without calls. */
  readonly wellFormed: SuccessRate | null;
  /** Tokens of the longest trajectory. */
  readonly longest: number;
};

export type HeldOutResults = { readonly greedy: ModeResults; readonly sampled: ModeResults };

/** Greedy and sampled results on the first `count` held-out tasks. */
export async function evaluateHeldOut(
  spec: EnvironmentSpec,
  policy: AdaptivePolicy,
  chat: ChatFormat,
  count: number,
): Promise<HeldOutResults> {
  const greedy = await rollOutHeldOut(spec, policy, chat, count, 0);
  const sampled = await rollOutHeldOut(spec, policy, chat, count, 1);
  return { greedy: summarize(greedy), sampled: summarize(sampled) };
}

function summarize(outcomes: readonly RolloutOutcome[]): ModeResults {
  const rate = (kept: readonly RolloutOutcome[]) => successRate(kept.map(({ success }) => success));
  const kinds = [...new Set(outcomes.map(({ kind }) => kind))].sort();
  return {
    overall: rate(outcomes),
    unseenTemplates: rateOrNull(
      outcomes.filter(({ unseen }) => unseen).map(({ success }) => success),
    ),
    families: Object.fromEntries(
      kinds.map((name) => [name, rate(outcomes.filter(({ kind }) => kind === name))]),
    ),
    wellFormed: rateOrNull(
      outcomes.flatMap(({ callTurns, malformedTurns }) =>
        Array.from({ length: callTurns }, (_, index) => index >= malformedTurns),
      ),
    ),
    longest: Math.max(...outcomes.map(({ tokens }) => tokens)),
  };
}

function rateOrNull(outcomes: readonly boolean[]): SuccessRate | null {
  return outcomes.length === 0 ? null : successRate(outcomes);
}
