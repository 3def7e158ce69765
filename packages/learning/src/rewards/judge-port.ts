/**
 * `judge`: a reward by a model, behind a port. A judge that fails is not a reward of 0: it is a typed,
 * retryable failure, and the trajectory has no reward. Not a client of any server.
 *
 * Source: the port of this project; majority of votes as in OpenClaw-RL.
 */
import { boundary, WaggleError } from "@waggle/protocol";
import { quantileOf } from "../statistics.ts";

/** Scores one transcript: an LLM judge or a learned reward model. */
export interface JudgePort {
  /** @returns a number in [0, 1]. Throws where it cannot judge; honours `signal`. */
  score(input: JudgeInput, signal: AbortSignal): Promise<number>;
}

export type JudgeInput = {
  readonly request: string;
  readonly transcript: string;
  /** What to look for; absent = the judge's own. */
  readonly rubric?: string;
};

/**
 * The judge's score, the median of `votes` calls where more than one is asked.
 *
 * @throws WaggleError `REWARD_UNAVAILABLE` (retryable) where fewer than a majority of the votes came,
 *   and for a score outside [0, 1].
 */
export async function judgedReward(
  judge: JudgePort,
  input: JudgeInput,
  signal: AbortSignal,
  votes: number = 1,
): Promise<number> {
  const settled = await Promise.allSettled(
    Array.from({ length: votes }, () => boundary("verifier", () => judge.score(input, signal))),
  );
  const scores = settled.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  const failed = settled.find((result) => result.status === "rejected");
  if (failed !== undefined && scores.length * 2 <= votes) throw failed.reason;
  const outside = scores.find((score) => !(score >= 0 && score <= 1));
  if (outside !== undefined) {
    throw new WaggleError(
      "REWARD_UNAVAILABLE",
      `a judge must score in [0, 1], got ${outside}; check its prompt or scale its answer`,
      { retryable: true },
    );
  }
  return quantileOf(scores, 0.5);
}
