/** Populations in which releases are simulated, and the bars that the decision rule should meet. */
import type { Population } from "./simulated-release.ts";

/** A population without its success rates. */
export type NamedPopulation = Omit<Population, "base" | "effect"> & { readonly name: string };

const PLAIN = { responseRate: 1, answerDelay: 0, drift: 0 };

/** Every visitor asks once. */
export const SINGLE: NamedPopulation = {
  name: "one request each",
  requestsPerVisitor: 1,
  correlation: 0,
  ...PLAIN,
};

/** Visitors come back, and differ a little. */
export const RETURNING: NamedPopulation = {
  name: "two requests each, correlation 0.1",
  requestsPerVisitor: 2,
  correlation: 0.1,
  ...PLAIN,
};

/** Visitors come back often, and differ a lot. */
export const FREQUENT: NamedPopulation = {
  name: "four requests each, correlation 0.3",
  requestsPerVisitor: 4,
  correlation: 0.3,
  ...PLAIN,
};

/** One request in ten is answered, on average 300 requests later. */
export const ANSWERS: NamedPopulation = {
  ...RETURNING,
  name: "10 % answer, late",
  responseRate: 0.1,
  answerDelay: 300,
};

/** Requests become harder for both versions. */
export const DRIFTING: NamedPopulation = {
  ...RETURNING,
  name: "success falls by 20 points meanwhile",
  drift: -0.2,
};

/** Success rates of the stable version. */
export const BASES: readonly number[] = [0.3, 0.5, 0.8];

/** Differences of success rates. 0 gets five times as many releases, because its bar is at 1 %. */
export const EFFECTS: readonly number[] = [-0.2, -0.1, -0.05, -0.02, 0, 0.02, 0.05, 0.1, 0.2];
