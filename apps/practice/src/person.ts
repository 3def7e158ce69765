/**
 * One simulated person: a task to ask about, and a thumb for the answer. Unhappy people answer twice as often as happy
 * ones, and some press the wrong thumb. Everything is decided by the seed.
 */
import type { PeopleRequest } from "@waggle/embed/practice";
import { type Feedback, seededRandom } from "@waggle/protocol";

/** A person's thumb. */
type Thumb = Extract<Feedback["kind"], "thumb-up" | "thumb-down">;

/** A person. */
export type Person = {
  /** Seed of the task, an unsigned 32-bit integer. */
  readonly taskSeed: number;
  /** @param isHappy - whether the verifier passed the answer. @returns `null` if the person gives no thumb. */
  readonly thumb: (isHappy: boolean) => Thumb | null;
};

/** Draws person number `index` of those that the seed decides. */
export function drawPerson(
  { seed, answering, wrong }: Omit<PeopleRequest, "count">,
  index: number,
): Person {
  const random = seededRandom(seed, index);
  const taskSeed = Math.floor(random() * 2 ** 32);
  const [patience, slip] = [random(), random()];
  return {
    taskSeed,
    thumb: (isHappy) => {
      if (patience >= answerProbability(isHappy, answering)) return null;
      const slips = slip < wrong;
      return isHappy === slips ? "thumb-down" : "thumb-up";
    },
  };
}

/**
 * Probability that a person gives a thumb: 2/3 of `answering` for a happy one and twice as much for an unhappy one, so that
 * it is `answering` if half of the answers are right. It is at most 1, which an unhappy person reaches at 3/4.
 */
function answerProbability(isHappy: boolean, answering: number): number {
  return Math.min(1, ((isHappy ? 2 : 4) / 3) * answering);
}
