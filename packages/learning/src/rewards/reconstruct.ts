/**
 * `reconstruct`: an output is good where a reader can recover the brief or the label from it, and the
 * output does not simply quote it.
 *
 * Source: SlideRL (inverse specification reward), RISE (rationale must not leak the annotation).
 */
import type { RewardPart } from "../composition/part.ts";
import { normalizedWords, resultsOf, tokenF1, wordsOf } from "./answer-match.ts";
import { rewardPart } from "./reward-part.ts";

/** Whether the words of the secret stand in the text in one piece. */
export function leaks(text: string, secret: string): boolean {
  const wanted = normalizedWords(secret).join(" ");
  return wanted !== "" && ` ${normalizedWords(text).join(" ")} `.includes(` ${wanted} `);
}

/**
 * Token F1 between the original and what a reader recovered from the output; 0 where the output leaks
 * the original.
 */
export function reconstructionReward(original: string, recovered: string, output: string): number {
  return leaks(output, original) ? 0 : tokenF1(recovered, original);
}

/**
 * `reconstruct`: the request can be told again from what the calls did, by a reader that sees their
 * arguments alone; F1 of its words, 0 where an argument quotes the request.
 */
export function recoveredRequest(): RewardPart {
  return rewardPart("reconstruct", (trajectory) => {
    const done = trajectory.turns.flatMap(({ toolCalls: calls, toolResults }) =>
      calls.flatMap((call, i) =>
        toolResults[i]?.ok === true ? [Object.values(call.arguments).map(String).join(" ")] : [],
      ),
    );
    const output = done.join(" ");
    return { total: reconstructionReward(wordsOf(trajectory, "request"), output, output) };
  });
}

/**
 * `reconstruct`: the answer can be told from what the tools said last, and the calls did not spell it
 * out beforehand. The way is paid, not the answer at its end.
 */
export function recoveredAnswer(): RewardPart {
  return rewardPart("reconstruct", (trajectory) => {
    const asked = trajectory.turns
      .flatMap(({ toolCalls: calls }) => calls.map((call) => JSON.stringify(call.arguments)))
      .join(" ");
    const recovered = resultsOf(trajectory).at(-1) ?? "";
    return { total: reconstructionReward(wordsOf(trajectory, "answer"), recovered, asked) };
  });
}
