import { expect, test } from "vitest";
import { readJsonLines } from "./jsonl.ts";

test("lines and arrays are read with line numbers, ignoring empty lines and a byte order mark", () => {
  expect(readJsonLines('\uFEFF{"a":1}\r\n\n2\n')).toEqual([
    { line: 1, value: { a: 1 } },
    { line: 3, value: 2 },
  ]);
  expect(readJsonLines('[\n{"a":1},\n2]')).toEqual([
    { line: 1, value: { a: 1 } },
    { line: 2, value: 2 },
  ]);
});

test("a line that is not JSON is refused with its number", () => {
  expect(() => readJsonLines('{"a":1}\n{"a":')).toThrow(/line 2 is not JSON/);
});
