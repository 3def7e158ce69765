/** What a judge is shown of a trajectory where nobody has its text: calls and results. Not a recipe. */
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import type { JudgeInput } from "./judge-port.ts";

export function callsAndResults({ record: trajectory, turns }: JudgedTrajectory): JudgeInput {
  return {
    request: JSON.stringify(trajectory.task),
    transcript: turns
      .map(({ toolCalls, toolResults }) => JSON.stringify({ toolCalls, toolResults }))
      .join("\n"),
  };
}

/** One turn, and how far into the trajectory it is. */
export function turnShown(
  { record: trajectory, turns }: JudgedTrajectory,
  turn: number,
): JudgeInput {
  return {
    request: JSON.stringify(trajectory.task),
    transcript: JSON.stringify({
      turn,
      calls: turns[turn]?.toolCalls,
      results: turns[turn]?.toolResults,
    }),
  };
}
