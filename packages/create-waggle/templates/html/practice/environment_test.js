import { checkEnvironment } from "@waggle/agent/define";
import { expect, test } from "vitest";
import tools, { start } from "../src/tools.js";
import environment from "./environment.js";

// It plays hundreds of tasks, which takes longer than Vitest's five seconds on a busy machine.
test("the environment passes every check", async () => {
  for await (const { check, status, words } of checkEnvironment(environment)) {
    expect(status, `${check}: ${words}`).not.toBe("failed");
  }
}, 60_000);

test("there are many different tasks to practice and to be evaluated on", () => {
  for (const split of ["train", "heldOut"]) {
    const requests = Array.from({ length: 200 }, (_, seed) => {
      return environment.task(environment.reference(seed, split, 0)).request;
    });
    expect(new Set(requests).size).toBeGreaterThanOrEqual(20);
  }
});

test("watering a plant in the page makes its soil wet", async () => {
  start([{ plant: "fern", room: "hall", soil: "dry", milliliters: 0 }]);
  const { signal } = new AbortController();
  const [look, water] = tools;
  await water.run({ plant: "fern", milliliters: 100 }, { signal });
  expect(await look.run({ room: "hall" }, { signal })).toEqual([{ plant: "fern", soil: "wet" }]);
});
