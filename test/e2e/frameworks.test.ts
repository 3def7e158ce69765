/** The example pages of frameworks, built from the packed packages in projects outside the repository, in Chromium. */
import { afterAll, describe, expect, test } from "vitest";
import { exampleAnswers } from "../fixtures/example-answers.ts";
import { installedExample, removeInstalledExamples } from "../fixtures/installed-example.ts";
import { isLong } from "../fixtures/long.ts";

afterAll(removeInstalledExamples);

describe.runIf(isLong())("frameworks", () => {
  test.each([
    ["vue", "Vite", "build", "dist"],
    ["svelte", "Vite", "build", "dist"],
    ["next", "Turbopack", "build", "out"],
    ["next", "webpack", "build:webpack", "out"],
  ])("a page of %s that %s builds answers", async (name, _, script, out) => {
    const requested = await exampleAnswers(installedExample(name, { script, out }));
    // The model is small.
    expect(requested.filter((url) => url.endsWith(".wasm"))).toEqual([]);
  });
});
