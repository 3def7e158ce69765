/**
 * The bandit, for policies that learn from cases they read. The base model knows nothing about lights and
 * guesses without a case. It was taught to read one: to pull the lever of a rewarded case, and a different
 * lever than that of an unrewarded case, whatever the light. So only the choice of the case can help. Tasks,
 * verifier and demonstrator are the bandit's.
 */
import { pick } from "./draw.ts";
import { banditNamed, COLORS, LEVERS, SHAPES } from "./bandit.ts";
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

/** The bandit with reading lessons. */
export const RECALL: EnvironmentSpec = {
  ...banditNamed("recall"),
  reading: READING,
  features: ["cases"],
};
