import { WaggleError } from "@waggle/protocol";
import { expect, test } from "vitest";
import { parseMarkedText } from "./marked-text.ts";

test("marks become spans in UTF-16 offsets of the text without marks", () => {
  const { text, spans } = parseMarkedText("🐝 [[name:Ana\nLima]], [[phone:555-0142]]!");
  expect(text).toBe("🐝 Ana\nLima, 555-0142!");
  expect(spans).toEqual([
    { start: 3, end: 11, kind: "name" },
    { start: 13, end: 21, kind: "phone" },
  ]);
});

test("a text without marks stays as it is", () => {
  const matrix = "[[1, 2], [3, 4]] and a[b[0]]: fine";
  expect(parseMarkedText(matrix)).toEqual({ text: matrix, spans: [] });
});

test.each([
  ["[[passport:X1]]", "unknown kind of value: passport"],
  ["[[name:]]", "bad value in a mark of kind name"],
  ["[[name:Ana [[phone:555]]", "bad value in a mark of kind name"],
  ["call [[phone:555", "a mark does not end with ]]"],
])("%s is refused", (marked, message) => {
  expect(() => parseMarkedText(marked)).toThrow(new WaggleError("SCHEMA_INVALID", message));
});
