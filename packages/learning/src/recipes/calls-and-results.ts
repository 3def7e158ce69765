/** What a judge is shown of an episode where nobody has its text: calls and results. Not a recipe. */
import type { Episode } from "../composition/episode.ts";
import type { JudgeInput } from "../rewards/judge-port.ts";

export function callsAndResults({ record: trajectory, turns }: Episode): JudgeInput {
  return {
    request: JSON.stringify(trajectory.task),
    transcript: turns
      .map(({ toolCalls, toolResults }) => JSON.stringify({ toolCalls, toolResults }))
      .join("\n"),
  };
}
