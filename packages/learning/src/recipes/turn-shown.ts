/** What a judge of single turns is shown. Not a recipe. */
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import type { JudgeInput } from "../rewards/judge-port.ts";

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
