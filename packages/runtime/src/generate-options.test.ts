import { Sampling } from "@waggle/protocol";
import { expect, test } from "vitest";
import { assertGenerateOptions } from "./generate-options.ts";

const VALUES = [-1, 0, 5e-324, 0.5, 1, 1.5, 10, 10.5, 2 ** 20, 2 ** 32, 2 ** 32 - 1, NaN, Infinity];
const WRONG_TYPES: unknown[] = ["1", null, undefined, true];

/** The check's message, empty if it accepts. */
function complaint(sampling: Sampling): string {
  try {
    assertGenerateOptions({ sampling, maxTokens: 1 }, 1);
    return "";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

test("sampling is checked like its schema, without loading the schema", () => {
  const good = { temperature: 1, topK: 0, topP: 1, seed: 0 };
  let accepted = 0;
  for (const key of ["temperature", "topK", "topP", "seed"]) {
    for (const value of [...VALUES, ...WRONG_TYPES]) {
      const sampling = { ...good, [key]: value } as Sampling;
      const isValid = Sampling.safeParse(sampling).success;
      if (isValid) accepted++;
      expect(complaint(sampling), `${key} ${String(value)}`).toMatch(isValid ? /^$/ : key);
    }
  }
  expect(accepted).toBeGreaterThan(10);
});
