/**
 * Held-out evaluation: a policy rolls out tasks that training never used, and the environment's
 * verifier judges them.
 */
import { rollOut } from "@waggle/agent";
import {
  createShopEnvironment,
  isUnseenTemplate,
  SHOP_ENVIRONMENT,
  shopTask,
  verifyShop,
} from "@waggle/environments";
import { successRate } from "@waggle/evaluation";
import type { SuccessRate } from "@waggle/evaluation";
import type { Sampling, TaskReference, Trajectory, Turn } from "@waggle/protocol";
import type { AdaptivePolicy } from "@waggle/runtime/node";
import type { ChatFormat } from "@waggle/text";
import { type EvaluationTask, rollOutTasks } from "../evaluation/evaluation.ts";
import { samplingAt } from "../evaluation/temperature.ts";
import { finalTextOf } from "../rollouts/final-text.ts";

type RolloutOutcome = {
  readonly family: string;
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

/** A trajectory in the shop and its judgement. */
type ShopRollout = {
  readonly task: TaskReference;
  readonly record: Trajectory;
  readonly verification: { readonly success: boolean };
};

const LIMITS = { maxTurns: 8, maxTokensPerTurn: 96, maxContextTokens: 512, timeoutMs: 0 };

/** Consent of an evaluation: nothing leaves this process. */
const NO_CONSENT = { version: "none", scopes: [], grantedAt: "1970-01-01T00:00:00.000Z" };

const MALFORMED: ReadonlySet<string> = new Set(["UNKNOWN_TOOL", "INVALID_TOOL_ARGUMENTS"]);

/** Rolls out the first `count` held-out tasks, one after the other. */
async function rollOutHeldOut(
  policy: AdaptivePolicy,
  chat: ChatFormat,
  count: number,
  temperature: number,
): Promise<RolloutOutcome[]> {
  const rollouts = await rollOutTasks({
    tasks: Array.from({ length: count }, (_, seed) => ({
      place: seed,
      task: { environment: SHOP_ENVIRONMENT, seed, split: "heldOut" as const },
      seed,
    })),
    rollOut: (at, sampling) => rollout(policy, chat, at, sampling),
    sampling: samplingAt(temperature),
    isBatched: false,
    signal: new AbortController().signal,
  });
  return rollouts.map(outcomeOf);
}

async function rollout(
  policy: AdaptivePolicy,
  chat: ChatFormat,
  { task, seed }: EvaluationTask,
  sampling: Omit<Sampling, "seed">,
): Promise<ShopRollout> {
  const environment = createShopEnvironment(task);
  const record = await rollOut({
    policy,
    environment,
    chatFormat: chat,
    sampling,
    limits: LIMITS,
    consent: NO_CONSENT,
    client: policy.client,
    seed,
  });
  const finalText = finalTextOf(record, chat);
  const verification = verifyShop(task, { finalText, state: environment.shop.state });
  return { task, record, verification };
}

function outcomeOf({ task: reference, record, verification }: ShopRollout): RolloutOutcome {
  const task = shopTask(reference);
  const callTurns = record.turns.filter(
    (turn) => turn.toolCalls.length > 0 || turn.parseError !== null,
  );
  return {
    family: task.family,
    unseen: isUnseenTemplate(task),
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
  /** Tasks worded by templates that pretraining never used. */
  readonly unseenTemplates: SuccessRate;
  readonly families: { readonly [family: string]: SuccessRate };
  /** Share of turns with calls in which all calls were readable and valid. */
  readonly wellFormed: SuccessRate;
  /** Tokens of the longest trajectory. */
  readonly longest: number;
};

export type HeldOutResults = { readonly greedy: ModeResults; readonly sampled: ModeResults };

/** Greedy and sampled results on the first `count` held-out tasks. */
export async function scoreHeldOut(
  policy: AdaptivePolicy,
  chat: ChatFormat,
  count: number,
): Promise<HeldOutResults> {
  const greedy = await rollOutHeldOut(policy, chat, count, 0);
  const sampled = await rollOutHeldOut(policy, chat, count, 1);
  return { greedy: summarize(greedy), sampled: summarize(sampled) };
}

function summarize(outcomes: readonly RolloutOutcome[]): ModeResults {
  const rate = (kept: readonly RolloutOutcome[]) => successRate(kept.map(({ success }) => success));
  const families = [...new Set(outcomes.map(({ family }) => family))].sort();
  return {
    overall: rate(outcomes),
    unseenTemplates: rate(outcomes.filter(({ unseen }) => unseen)),
    families: Object.fromEntries(
      families.map((name) => [name, rate(outcomes.filter(({ family }) => family === name))]),
    ),
    wellFormed: successRate(
      outcomes.flatMap(({ callTurns, malformedTurns }) =>
        Array.from({ length: callTurns }, (_, index) => index >= malformedTurns),
      ),
    ),
    longest: Math.max(...outcomes.map(({ tokens }) => tokens)),
  };
}
