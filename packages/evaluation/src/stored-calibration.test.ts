import { expect, test } from "vitest";
import { parseCalibration } from "./stored-calibration.ts";

const FILE = "model/calibration.json";
const stored = {
  environment: "shop",
  tasks: 2,
  seed: 1,
  temperature: 0,
  map: [
    [0.2, 0],
    [0.9, 0.8],
  ],
};

test("turns that change something have their own map, or else that of rollouts", () => {
  const calls = [[0.5, 0.5]];
  expect(parseCalibration(JSON.stringify(stored), FILE).calls).toEqual(stored.map);
  expect(parseCalibration(JSON.stringify({ ...stored, calls }), FILE).calls).toEqual(calls);
});

test.each([
  ["map", "", "map"],
  ["map", "null", "map"],
  ["map", JSON.stringify({ ...stored, map: [] }), "map"],
  ["map", JSON.stringify({ ...stored, map: [[0.5]] }), "map"],
  ["map", JSON.stringify({ ...stored, map: [[0.5, "1"]] }), "map"],
  ["map", JSON.stringify({ ...stored, map: [[0.5, 1.5]] }), "map"],
  ["map", JSON.stringify({ ...stored, map: stored.map.toReversed() }), "map"],
  ["calls", JSON.stringify({ ...stored, calls: {} }), "calls"],
])("a file with a broken %s is refused: %s", (_, text, name) => {
  expect(() => parseCalibration(text, FILE)).toThrow(
    `${FILE} has no list "${name}" of pairs of numbers from 0 to 1 that rise; write it again with npm run eval-base -- --fit-calibration, or delete it`,
  );
});
