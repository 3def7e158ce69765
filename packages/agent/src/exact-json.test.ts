import * as fc from "fast-check";
import { expect, test } from "vitest";
import { exactJson } from "./exact-json.ts";

test.each([
  '{"id":12345678901234567890}',
  "[1e400]",
  "[-1e-400]",
  "[0.12345678901234567890123]",
  "[9007199254740993]",
])("%s stays text, because a number would change", (text) => {
  expect(exactJson(text)).toBe(text);
});

test.each([
  ["[9007199254740992,1e300,-0.10,5E-324]", [9007199254740992, 1e300, -0.1, 5e-324]],
  ['{"a":"1e400 \\" 12345678901234567890"}', { a: '1e400 " 12345678901234567890' }],
  ["[0,0.0,-0e9,1200,1.20e+3]", [0, 0, -0, 1200, 1200]],
  ["1.7976931348623157e308", 1.7976931348623157e308],
  ["just words", "just words"],
])("%s is read", (text, value) => {
  expect(exactJson(text)).toEqual(value);
});

test("every text that JSON.stringify writes is read back", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      expect(exactJson(text)).toEqual(JSON.parse(text));
    }),
  );
});
