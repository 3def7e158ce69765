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
import { FULL_SUPPORT } from "@waggle/protocol";
import type { Sampling, TaskReference, Trajectory, Turn } from "@waggle/protocol";
import type { AdaptivePolicy } from "@waggle/runtime/node";
import type { ChatFormat } from "@waggle/text";

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

/** `greedy` always takes the most likely token. */
const MODES: { readonly [mode in "greedy" | "sampled"]: Omit<Sampling, "seed"> } = {
  greedy: { temperature: 1, topK: 1, topP: 1 },
  sampled: FULL_SUPPORT,
};

const LIMITS = { maxTurns: 8, maxTokensPerTurn: 96, maxContextTokens: 512, timeoutMs: 0 };

/** Consent of an evaluation: nothing leaves this process. */
const NO_CONSENT = { version: "none", scopes: [], grantedAt: "1970-01-01T00:00:00.000Z" };

const MALFORMED: ReadonlySet<string> = new Set(["UNKNOWN_TOOL", "INVALID_TOOL_ARGUMENTS"]);

/** Rolls out held-out tasks `from` to `from + count - 1`, one after the other. */
async function rollOutHeldOut(
  policy: AdaptivePolicy,
  chat: ChatFormat,
  options: { readonly from: number; readonly count: number; readonly mode: "greedy" | "sampled" },
): Promise<RolloutOutcome[]> {
  const outcomes: RolloutOutcome[] = [];
  for (let seed = options.from; seed < options.from + options.count; seed++) {
    const task: TaskReference = { environment: SHOP_ENVIRONMENT, seed, split: "heldOut" };
    outcomes.push(await rollout(policy, chat, task, options.mode));
  }
  return outcomes;
}

async function rollout(
  policy: AdaptivePolicy,
  chat: ChatFormat,
  reference: TaskReference,
  mode: "greedy" | "sampled",
): Promise<RolloutOutcome> {
  const environment = createShopEnvironment(reference);
  const trajectory = await rollOut({
    policy,
    environment,
    chatFormat: chat,
    sampling: MODES[mode],
    limits: LIMITS,
    consent: NO_CONSENT,
    client: policy.client,
    seed: reference.seed,
  });
  const finalText = finalTextOf(trajectory, chat);
  const { success } = verifyShop(reference, { finalText, state: environment.shop.state });
  const task = shopTask(reference);
  const callTurns = trajectory.turns.filter(
    (turn) => turn.toolCalls.length > 0 || turn.parseError !== null,
  );
  return {
    family: task.family,
    unseen: isUnseenTemplate(task),
    success,
    callTurns: callTurns.length,
    malformedTurns: callTurns.filter(isMalformed).length,
    tokens: trajectory.segments.reduce((sum, segment) => sum + segment.tokenIds.length, 0),
  };
}

/** The final answer of a rollout; `null` if it was cut. */
function finalTextOf(trajectory: Trajectory, chat: ChatFormat): string | null {
  const last = trajectory.segments.findLast((segment) => segment.kind === "sampled");
  if (trajectory.stopReason !== "completed" || last === undefined) return null;
  return chat.parseAssistant(chat.decodeAssistant(last.tokenIds)).text;
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
  const greedy = await rollOutHeldOut(policy, chat, { from: 0, count, mode: "greedy" });
  const sampled = await rollOutHeldOut(policy, chat, { from: 0, count, mode: "sampled" });
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
