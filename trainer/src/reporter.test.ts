import { expect, test } from "vitest";
import { createReporter } from "./reporter.ts";

test("a note is a line of words for people and one object for programs", () => {
  const details = {
    device: "cpu x2",
    baseModel: "429990a4".padEnd(64, "0"),
    step: 4,
    stoppedBy: null,
  };
  const lines: string[] = [];
  for (const asJson of [false, true]) {
    createReporter((line) => lines.push(line), asJson).note("started", details);
  }
  expect(lines[0]).toBe("started: device cpu x2, base model 429990a4, step 4, stopped by null");
  expect(JSON.parse(lines[1] ?? "")).toEqual({ event: "started", ...details });
});
