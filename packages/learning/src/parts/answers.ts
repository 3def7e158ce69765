/**
 * Reward and filter parts that read what was said at the end and what tools had said before: `f1`,
 * `grounding`, `reconstruct`, `answerable`.
 */
import { WaggleError } from "@waggle/protocol";
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import { toolCalls } from "../composition/judged-trajectory.ts";
import type { FilterPart, RewardPart, RewardedGroup } from "../composition/part.ts";
import { answerableOnly } from "../filters/answerable.ts";
import { bestOverReferences, tokenF1 } from "../rewards/answer-match.ts";
import { groundingReward, isSupported } from "../rewards/grounding.ts";
import { reconstructionReward } from "../rewards/reconstruct.ts";
import { filterPart, keepGroups } from "./filter-part.ts";
import { rewardPart } from "./rewards.ts";

/** A part of the judgement in words. @throws WaggleError `INVALID_ARGUMENT` where it has none. */
function wordsOf(
  { verification, id }: JudgedTrajectory,
  part: "request" | "text" | "answer",
): string {
  const words = verification.parts[part];
  if (typeof words === "string" || typeof words === "number") return String(words);
  throw new WaggleError(
    "INVALID_ARGUMENT",
    `the judgement of a rollout must name its ${part}, got none for ${id}; choose an environment that has one: lookup`,
  );
}

/** What tools said, call by call. */
function resultsOf({ turns }: JudgedTrajectory): string[] {
  return turns.flatMap(({ toolResults }) =>
    toolResults.flatMap((result) =>
      result.ok
        ? [typeof result.value === "string" ? result.value : JSON.stringify(result.value)]
        : [],
    ),
  );
}

/** `f1`: words of the last turn against those of the right answer. */
export function answerF1(): RewardPart {
  return rewardPart("f1", (trajectory) => ({
    reward: bestOverReferences([wordsOf(trajectory, "answer")], (reference) =>
      tokenF1(wordsOf(trajectory, "text"), reference),
    ),
  }));
}

/**
 * `grounding`: what is said at the end must stand in something that a tool had said; the pay falls on
 * the turn that says it.
 */
export function groundedAnswer(supported = 1, unsupported = -1): RewardPart {
  return rewardPart("grounding", (trajectory) => {
    const quote = wordsOf(trajectory, "text").replace(/[.!]+$/u, "");
    const last = trajectory.turns.at(-1);
    // A rollout that was cut says nothing, and silence costs nothing.
    const claims =
      quote === "" || last === undefined ? [] : [{ quote, start: last.start, end: last.end }];
    const reward = groundingReward(claims, resultsOf(trajectory), { supported, unsupported });
    const turnRewards = trajectory.turns.map((turn) => (turn === last ? reward : 0));
    return { reward, turnRewards };
  });
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
    return { reward: reconstructionReward(wordsOf(trajectory, "request"), output, output) };
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
    return { reward: reconstructionReward(wordsOf(trajectory, "answer"), recovered, asked) };
  });
}

/**
 * `answerable`: tasks that some rollouts solve with what they looked up, and not nearly all without
 * looking.
 */
export function answerable(leastWithEvidence = 0.1, mostWithout = 0.9): FilterPart {
  return filterPart("answerable", (groups) =>
    keepGroups(groups, (all) =>
      answerableOnly(
        all.map((group) => {
          const first = group.trajectories[0]?.trajectory as JudgedTrajectory;
          return {
            question: wordsOf(first, "request"),
            answer: wordsOf(first, "answer"),
            solvedWithEvidence: solvedShare(group, true),
            solvedWithout: solvedShare(group, false),
          };
        }),
        { leastWithEvidence, mostWithout },
      ),
    ),
  );
}

/** Of rollouts whose last tool result holds the answer, or of those that looked nothing up. */
function solvedShare({ trajectories }: RewardedGroup, looked: boolean): number {
  const own = trajectories.filter(({ trajectory }) => toolCalls(trajectory) > 0 === looked);
  const solved = own.filter(({ trajectory }) =>
    looked
      ? isSupported(wordsOf(trajectory, "answer"), resultsOf(trajectory))
      : trajectory.verification.success,
  );
  return own.length === 0 ? 0 : solved.length / own.length;
}
