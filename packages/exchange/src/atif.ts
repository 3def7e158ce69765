/**
 * The Agent Trajectory Interchange Format: one document per trajectory and one step per inference, with
 * prompt tokens, sampled tokens and log-probs.
 *
 * Source: Harbor, `rfcs/0001-trajectory-format.md`, ATIF-v1.7 (April 2026). Differs: log-probs are those of
 * the distribution actually sampled; those at temperature 1 over the full vocabulary are in `metrics.extra`.
 * Only the main line is written, without retries and branches.
 */
import type { SampledSegment } from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";
import { chatTools } from "./chat-messages.ts";
import type { ConversationTurn } from "./conversation.ts";
import { isTurn } from "./recorded-path.ts";
import type { ReadTrajectory } from "./trajectory-text.ts";

/** The schema version that is written. */
const ATIF_SCHEMA_VERSION = "ATIF-v1.7";

type AtifMetrics = {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly prompt_token_ids: readonly number[];
  readonly completion_token_ids: readonly number[];
  readonly logprobs: readonly number[];
  readonly extra: { readonly [name: string]: unknown };
};

/** One step of a document. */
export type AtifStep = {
  readonly step_id: number;
  readonly source: "system" | "user" | "agent";
  readonly message: string;
  readonly model_name?: string;
  readonly tool_calls?: readonly {
    readonly tool_call_id: string;
    readonly function_name: string;
    readonly arguments: object;
  }[];
  readonly observation?: {
    readonly results: readonly { readonly source_call_id?: string; readonly content: string }[];
  };
  readonly metrics?: AtifMetrics;
  readonly llm_call_count?: number;
  /** The turn belongs to an earlier request and is trained with that request's trajectory. */
  readonly is_copied_context?: true;
};

/** An ATIF document as JSON. */
export type AtifTrajectory = {
  readonly schema_version: string;
  readonly session_id: string;
  readonly trajectory_id: string;
  readonly agent: { readonly [name: string]: unknown };
  readonly steps: readonly AtifStep[];
  readonly final_metrics: { readonly [name: string]: unknown };
  readonly extra: { readonly [name: string]: unknown };
};

/** Converts a trajectory. */
export function toAtifTrajectory(read: ReadTrajectory, format: ChatFormat): AtifTrajectory {
  const { record, conversation, path } = read;
  const { row, trajectory } = record;
  const nameOf = (version: number): string => `${trajectory.baseModel.slice(0, 12)}@${version}`;
  const steps: Omit<AtifStep, "step_id">[] = [
    ...(conversation.system === ""
      ? []
      : [{ source: "system" as const, message: conversation.system }]),
    { source: "user", message: conversation.userMessage },
  ];
  const metrics: AtifMetrics[] = [];
  const before: number[] = [];
  let turn = 0;
  for (const segment of path) {
    if (isTurn(segment)) {
      const said = conversation.turns[turn] as ConversationTurn;
      if (segment.kind === "sampled") {
        const numbers = metricsOf(segment, before);
        metrics.push(numbers);
        const model_name = nameOf(segment.policyVersion);
        steps.push({ ...agentStep(said, format), metrics: numbers, llm_call_count: 1, model_name });
      } else steps.push({ ...agentStep(said, format), is_copied_context: true });
      if (said.userMessage !== undefined) {
        steps.push({ source: "user", message: said.userMessage });
      }
      turn += 1;
    }
    before.push(...segment.tokenIds);
  }
  const sum = (name: "prompt_tokens" | "completion_tokens"): number =>
    metrics.reduce((total, step) => total + step[name], 0);
  return {
    schema_version: ATIF_SCHEMA_VERSION,
    session_id: trajectory.assignmentId ?? trajectory.id,
    trajectory_id: trajectory.id,
    agent: {
      name: "waggle",
      version: trajectory.client.build,
      model_name: nameOf(trajectory.policyVersion),
      tool_definitions: chatTools(conversation.tools),
      extra: { base_model: trajectory.baseModel, backend: trajectory.client.backend },
    },
    steps: steps.map((step, i) => ({ step_id: i + 1, ...step })),
    final_metrics: {
      total_prompt_tokens: sum("prompt_tokens"),
      total_completion_tokens: sum("completion_tokens"),
      total_steps: steps.length,
    },
    extra: {
      digest: row.digest,
      group: row.groupId,
      task: trajectory.task,
      reward: row.reward,
      success: row.success,
      stop_reason: trajectory.stopReason,
      started_at: trajectory.startedAt,
      ended_at: trajectory.endedAt,
    },
  };
}

function agentStep(
  { text, toolCalls, toolResults }: ConversationTurn,
  format: ChatFormat,
): Omit<AtifStep, "step_id"> {
  const asked = new Set(toolCalls.map(({ id }) => id));
  return {
    source: "agent",
    message: text,
    ...(toolCalls.length === 0
      ? {}
      : {
          tool_calls: toolCalls.map((call) => ({
            tool_call_id: call.id,
            function_name: call.name,
            arguments: call.arguments,
          })),
        }),
    ...(toolResults.length === 0
      ? {}
      : {
          observation: {
            results: toolResults.map((result) => ({
              ...(asked.has(result.callId) ? { source_call_id: result.callId } : {}),
              content: format.toolResultText(result),
            })),
          },
        }),
  };
}

function metricsOf(segment: SampledSegment, before: readonly number[]): AtifMetrics {
  const { tokenIds, behaviorLogProbs, rawLogProbs, sampling, policyVersion, grammar } = segment;
  return {
    prompt_tokens: before.length,
    completion_tokens: tokenIds.length,
    prompt_token_ids: [...before],
    completion_token_ids: tokenIds,
    logprobs: behaviorLogProbs,
    extra: { raw_logprobs: rawLogProbs, policy_version: policyVersion, sampling, grammar },
  };
}
