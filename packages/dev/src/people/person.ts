/**
 * One simulated person: a task to ask about, and whether they say how the answer was. Unhappy people do so twice as often as
 * happy ones, and some say the opposite of what they think. Everything is decided by the seed.
 */
import { seededRandom } from "@waggle/protocol";
import { reactionTo } from "./reactions.ts";

/** How the people of a live run answer. */
export type LivePeople = {
  /** How people say how an answer was: a thumb, an outcome that the site's backend reports, or their next message. */
  readonly signal: "thumb" | "outcome" | "message";
  /** Share of people that say how the answer was at a success rate of one half, in [0, 1]. */
  readonly answering: number;
  /** Probability that a person says the opposite, in [0, 1]. At 0.5 it carries no information. */
  readonly wrong: number;
  /** Decides tasks and what people say. Another seed gives other people. */
  readonly seed: number;
};

/** A person. */
export type Person = {
  /** Seed of the task, an unsigned 32-bit integer. */
  readonly taskSeed: number;
  /** @param isHappy - whether the verifier passed the answer. @returns `null` if the person says nothing. */
  readonly verdict: (isHappy: boolean) => "good" | "bad" | null;
  /** What the person types after an answer. */
  readonly message: (verdict: "good" | "bad", request: string) => string;
};

/** Draws person number `index` of those that the seed decides. */
export function drawPerson(
  { seed, answering, wrong }: Omit<LivePeople, "signal">,
  index: number,
): Person {
  const random = seededRandom(seed, index);
  const taskSeed = Math.floor(random() * 2 ** 32);
  const [patience, slip, phrase] = [random(), random(), random()];
  return {
    taskSeed,
    verdict: (isHappy) => {
      if (patience >= answerProbability(isHappy, answering)) return null;
      const slips = slip < wrong;
      return isHappy === slips ? "bad" : "good";
    },
    message: (verdict, request) => reactionTo(verdict, request, phrase),
  };
}

/**
 * Probability that a person says how the answer was: 2/3 of `answering` for a happy one and twice as much for an
 * unhappy one, so that
 * it is `answering` if half of the answers are right. It is at most 1, which an unhappy person reaches at 3/4.
 */
function answerProbability(isHappy: boolean, answering: number): number {
  return Math.min(1, ((isHappy ? 2 : 4) / 3) * answering);
}
