import { expect, test } from "vitest";
import { type ExposureOptions, neededExposure } from "./needed-exposure.ts";

const OPTIONS: ExposureOptions = {
  requests: 10_000,
  base: 0.5,
  effect: 0.1,
  requestsPerVisitor: 1,
  correlation: 0,
  falseAlarm: 0.01,
  power: 0.95,
};

// The smallest number that fulfills the inequality, counted up in plain Python.
test("the exposure equals that of a plain search", () => {
  expect(neededExposure(OPTIONS)).toBe(405);
  const returning = { requestsPerVisitor: 2, correlation: 0.1 };
  expect(neededExposure({ ...OPTIONS, ...returning, base: 0.3 })).toBe(363);
});

test("too few requests are never enough", () => {
  expect(neededExposure({ ...OPTIONS, requests: 1000 })).toBe(Infinity);
});

test("less effect, more certainty and more correlation each need more", () => {
  const plain = neededExposure(OPTIONS);
  const returning = { requestsPerVisitor: 3, correlation: 0.2 };
  for (const harder of [{ effect: 0.08 }, { falseAlarm: 0.005 }, { power: 0.99 }, returning]) {
    expect(neededExposure({ ...OPTIONS, ...harder })).toBeGreaterThan(1.1 * plain);
  }
});
