/**
 * The bandit for policies that learn by what they are given to read. Its base knows no light: without a case
 * it guesses. It was taught to read one: to pull the lever of a case that went well and another than that
 * of a case that went wrong, whatever light the case is of. So which case it reads is all that can help.
 * Environments, verifier and demonstrator are the bandit's.
 */
import { banditNamed, COLORS, LEVERS, SHAPES } from "./bandit.ts";
import { pick } from "./random.ts";
import type { ReadingLessons, EnvironmentSpec } from "./environment-spec.ts";

const READING: ReadingLessons = {
  share: 0.75,
  mistakes: 1,
  lesson: (random) => {
    const action = pick(random, LEVERS);
    const wentWell = random() < 0.5;
    const others = LEVERS.filter((lever) => lever !== action);
    return {
      case: {
        situation: `${pick(random, COLORS)} ${pick(random, SHAPES)}`,
        action,
        reward: wentWell ? 1 : 0,
      },
      reader: () => ({ text: wentWell ? action : pick(random, others), calls: [] }),
    };
  },
};

export const RECALL: EnvironmentSpec = { ...banditNamed("recall"), reading: READING };
