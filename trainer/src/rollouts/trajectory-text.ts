/**
 * A rollout as text: the request, turns, calls and results. For writers and judges, not for the
 * policy.
 */
import { finalTextOf } from "@waggle/agent";
import type { JudgedTrajectory, PartPorts } from "@waggle/learning";
import type { EnvironmentSpec } from "@waggle/environments";
import type { Turn } from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";

/** A function that renders a rollout as text. */
export function describer(
  spec: EnvironmentSpec,
  format: ChatFormat,
): NonNullable<PartPorts["describe"]> {
  return ({ record: trajectory, turns }: JudgedTrajectory) => {
    const said = finalTextOf(trajectory, format);
    return {
      request: trajectory.task === null ? "" : spec.task(trajectory.task).request,
      transcript: transcriptOf(turns, said),
    };
  };
}

/** Calls and results of the turns, and the final text if there is one. */
export function transcriptOf(
  turns: readonly Pick<Turn, "toolCalls" | "toolResults">[],
  said: string | null,
): string {
  return [
    ...turns.flatMap(({ toolCalls, toolResults }) => [
      ...toolCalls.map(({ name, arguments: given }) => `${name}(${JSON.stringify(given)})`),
      ...toolResults.map(
        (result) => `= ${JSON.stringify(result.ok ? result.value : result.error.message)}`,
      ),
    ]),
    ...(said === null ? [] : [said]),
  ].join("\n");
}
