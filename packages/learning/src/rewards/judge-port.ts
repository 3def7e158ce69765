/**
 * `judge`, `rm` and `preference`: rewards by a model, behind ports. A judge that fails is not a reward
 * of 0: it is a typed, retryable failure, and the episode has no reward. Not a client of any server.
 *
 * Source: the ports of this project; majority of votes as in OpenClaw-RL; pairwise win rates as in
 * GenAgent (absolute and pairwise rewards).
 */
import { boundary, WaggleError } from "@waggle/protocol";
import { meanOf, quantileOf } from "../statistics.ts";

/** Scores one transcript: an LLM judge or a learned reward model. */
export interface JudgePort {
  /** @returns a number in [0, 1]. Throws where it cannot judge; honours `signal`. */
  score(input: JudgeInput, signal: AbortSignal): Promise<number>;
}

/** Compares two transcripts. */
export interface PreferencePort {
  /** @returns −1 where the second is better, 1 where the first is, 0 for a tie. */
  compare(first: JudgeInput, second: JudgeInput, signal: AbortSignal): Promise<-1 | 0 | 1>;
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

/**
 * `[G]` share of the other rollouts that each one beats, ties half: pairwise preference as a scalar in
 * [0, 1]. Each pair is asked in both orders, so that a judge's liking for the first cancels.
 */
export async function preferenceWinRates(
  port: PreferencePort,
  inputs: readonly JudgeInput[],
  signal: AbortSignal,
): Promise<number[]> {
  const G = inputs.length;
  const wins = inputs.map((): number[] => []);
  for (let i = 0; i < G; i += 1) {
    for (let j = 0; j < G; j += 1) {
      if (i === j) continue;
      const verdict = await boundary("verifier", () =>
        port.compare(inputs[i]!, inputs[j]!, signal),
      );
      wins[i]!.push((verdict + 1) / 2);
      wins[j]!.push((1 - verdict) / 2);
    }
  }
  return wins.map(meanOf);
}
