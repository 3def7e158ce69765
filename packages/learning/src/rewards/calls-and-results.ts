/** A textual form of a trajectory for judges if its text is unknown: calls and results. Not a recipe. */
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import type { JudgeInput } from "./judge-port.ts";

/** The request and a transcript of calls and results. */
export function callsAndResults({ record: trajectory, turns }: JudgedTrajectory): JudgeInput {
  return {
    request: JSON.stringify(trajectory.task),
    transcript: turns
      .map(({ toolCalls, toolResults }) => JSON.stringify({ toolCalls, toolResults }))
      .join("\n"),
  };
}

/** One turn, with its position in the trajectory. */
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
