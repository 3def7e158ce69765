/** Reads from a rollout what the probes of the gate compare. */
import { finalTextOf } from "@waggle/agent";
import type { EnvironmentRollout } from "@waggle/agent/environments";
import type { AnswerReading } from "@waggle/evaluation";
import type { ChatFormat } from "@waggle/text";
import { asksForThumb, saysNo } from "./answer-phrases.ts";

/** @param kind - of the rollout's task. */
export function readAnswer(
  { record, verification }: EnvironmentRollout,
  kind: string,
  format: ChatFormat,
): AnswerReading {
  const { turns, segments } = record;
  const text = finalTextOf(record, format);
  const said = segments.flatMap((segment) =>
    segment.kind === "sampled" ? [segment.tokenIds] : [],
  );
  const { agreed } = verification.parts;
  return {
    kind: kind.slice(0, 200),
    success: verification.success,
    tokens: text === null ? null : (said.at(-1)?.length ?? 0),
    begs: said.some((ids) => asksForThumb(format.parseAssistant(format.decodeAssistant(ids)).text)),
    refuses: turns.every(({ toolCalls }) => toolCalls.length === 0) && saysNo(text ?? ""),
    agrees: typeof agreed === "boolean" ? agreed : null,
  };
}
