/** How a version ended the first frozen tasks: texts for the operator, redacted and cut. */
import { finalTextOf } from "@waggle/agent";
import type { EnvironmentRollout } from "@waggle/agent/environments";
import { createRedactor } from "@waggle/collector";
import { ANSWER_LIMITS, type SampledAnswer } from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";

/**
 * The answers of the first rollouts, so that those of two versions are about the same tasks.
 *
 * @param requestOf - the visitor's first message of a rollout's task, by index.
 */
export function sampledAnswers(
  rollouts: readonly EnvironmentRollout[],
  requestOf: (index: number) => string,
  format: ChatFormat,
): SampledAnswer[] {
  return rollouts.slice(0, ANSWER_LIMITS.answers).map(({ record, verification }, i) => {
    const redactor = createRedactor();
    const calls = record.turns.flatMap(({ toolCalls }) => toolCalls);
    const shown = (text: string, most: number): string => cut(redactor.redact(text), most);
    const text = finalTextOf(record, format);
    return {
      request: shown(requestOf(i), ANSWER_LIMITS.text),
      text: text === null ? null : shown(text, ANSWER_LIMITS.text),
      calls: calls
        .slice(0, ANSWER_LIMITS.calls)
        .map((call) =>
          cut(
            `${call.name} ${JSON.stringify(redactor.redactJson(call.arguments))}`,
            ANSWER_LIMITS.call,
          ),
        ),
      success: verification.success,
    };
  });
}

/** At most this many UTF-16 units, with an ellipsis in place of the rest. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
