/**
 * `judge`: a reward from a model behind a port. A failing judge is a typed, retryable failure and leaves the
 * trajectory without a reward; it is not a reward of 0. Not a client of any server.
 *
 * Source: the port of this project; majority of votes as in OpenClaw-RL.
 */
import { boundary, WaggleError } from "@waggle/protocol";
import { quantileOf } from "../statistics.ts";

/** Judges one transcript: an LLM judge or a learned reward model. */
export interface JudgePort {
  /** @returns a number in [0, 1]. Throws if it cannot judge; honors `signal`. */
  reward(input: JudgeInput, signal: AbortSignal): Promise<number>;
}

/** A trajectory as a judge sees it. */
export type JudgeInput = {
  readonly request: string;
  readonly transcript: string;
  /** The criteria; absent = the judge's own rubric. */
  readonly rubric?: string;
};

/**
 * The judge's reward; for several `votes` their median.
 *
 * @throws WaggleError `REWARD_UNAVAILABLE` (retryable) if a majority of the votes failed, and for a reward
 *   outside [0, 1].
 */
export async function judgedReward(
  judge: JudgePort,
  input: JudgeInput,
  signal: AbortSignal,
  votes: number = 1,
): Promise<number> {
  const settled = await Promise.allSettled(
    Array.from({ length: votes }, () => boundary("verifier", () => judge.reward(input, signal))),
  );
  const rewards = settled.flatMap((result) =>
    result.status === "fulfilled" ? [result.value] : [],
  );
  const failed = settled.find((result) => result.status === "rejected");
  if (failed !== undefined && rewards.length * 2 <= votes) throw failed.reason;
  const outside = rewards.find((reward) => !(reward >= 0 && reward <= 1));
  if (outside !== undefined) {
    throw new WaggleError(
      "REWARD_UNAVAILABLE",
      `the judge gave the reward ${outside}, which is not in [0, 1]; check its prompt or scale its answer`,
      { retryable: true },
    );
  }
  return quantileOf(rewards, 0.5);
}
