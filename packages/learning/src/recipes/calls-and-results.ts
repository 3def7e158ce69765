/** What a judge is shown of a trajectory where nobody has its text: calls and results. Not a recipe. */
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import type { JudgeInput } from "../rewards/judge-port.ts";

export function callsAndResults({ record: trajectory, turns }: JudgedTrajectory): JudgeInput {
  return {
    request: JSON.stringify(trajectory.task),
    transcript: turns
      .map(({ toolCalls, toolResults }) => JSON.stringify({ toolCalls, toolResults }))
      .join("\n"),
  };
}
