/**
 * `reconstruct`: an output is good if a reader can recover the brief or label from it, and it does not simply
 * quote it.
 *
 * Source: SlideRL (inverse specification reward), RISE (rationale must not leak the annotation).
 */
import type { RewardPart } from "../composition/part.ts";
import { normalizedWords, resultsOf, tokenF1, wordsOf } from "./answer-match.ts";
import { rewardPart } from "./reward-part.ts";

/** Whether the text contains the words of the secret consecutively. */
export function leaks(text: string, secret: string): boolean {
  const wanted = normalizedWords(secret).join(" ");
  return wanted !== "" && ` ${normalizedWords(text).join(" ")} `.includes(` ${wanted} `);
}

/**
 * Token F1 between the original and a reader's reconstruction from the output; 0 if the output leaks the
 * original.
 */
export function reconstructionReward(original: string, recovered: string, output: string): number {
  return leaks(output, original) ? 0 : tokenF1(recovered, original);
}

/**
 * `reconstruct`: a reader that sees only the arguments of the calls recovers the request; F1 of its words, 0
 * if an argument quotes the request.
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
 * `reconstruct`: the answer can be read from the last tool results, and the calls did not contain it. Rewards
 * the search, not the answer.
 */
export function recoveredAnswer(): RewardPart {
  return rewardPart("reconstruct", (trajectory) => {
    const calls = trajectory.turns
      .flatMap(({ toolCalls: calls }) => calls.map((call) => JSON.stringify(call.arguments)))
      .join(" ");
    const recovered = resultsOf(trajectory).at(-1) ?? "";
    return { total: reconstructionReward(wordsOf(trajectory, "answer"), recovered, calls) };
  });
}
