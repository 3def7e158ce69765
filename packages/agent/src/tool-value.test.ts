import fc from "fast-check";
import { expect, test } from "vitest";
import { messageOf, toolValue } from "./tool-value.ts";

function deep(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = [value];
  return value;
}

const circular: { self?: unknown } = {};
circular.self = circular;

test.each<readonly [string, unknown, unknown]>([
  ["undefined", undefined, null],
  ["NaN", NaN, null],
  ["a Date", new Date(0), "1970-01-01T00:00:00.000Z"],
  ["a function in an object", { id: 1, run: () => 2 }, { id: 1 }],
  ["an instance with members", Object.assign(new (class Item {})(), { id: 1 }), { id: 1 }],
  ["an object without a prototype", Object.assign(Object.create(null), { id: 1 }), { id: 1 }],
  ["an empty object", {}, {}],
])("%s becomes plain JSON", (_, value, expected) => {
  expect(toolValue(value)).toEqual(expected);
});

test.each<readonly [string, unknown, string]>([
  ["a circular object", circular, "circular"],
  ["a BigInt", { count: 12n }, "BigInt"],
  ["a function", () => 1, "it is a function"],
  ["a Map", { prices: new Map([["mug", 12]]) }, "an object of Map"],
  ["a Set", new Set([1]), "an object of Set"],
  ["an Error", new Error("no"), "an object of Error"],
  ["bytes", new Uint8Array(50_000_000), "an object of Uint8Array"],
  [
    "a getter that throws",
    {
      get price(): number {
        throw new Error("no price");
      },
    },
    "no price",
  ],
  [
    "a toJSON that throws",
    {
      toJSON: () => {
        throw new Error("not now");
      },
    },
    "not now",
  ],
  ["a proxy that throws", new Proxy({}, { ownKeys: () => deepThrow() }), "no keys"],
])("%s becomes a failure with a one-line message", (_, value, message) => {
  expect(() => toolValue(value)).toThrow(
    expect.objectContaining({
      code: "TOOL_FAILED",
      message: expect.stringMatching(new RegExp(`^the result is not JSON: .*${message}.*$`)),
    }),
  );
});

test.each([31, 1000, 100_000])("an array nested %i deep becomes a failure", (levels) => {
  expect(() => toolValue(deep(levels))).toThrow(
    expect.objectContaining({
      code: "TOOL_FAILED",
      message: "the result nests deeper than 30 levels; flatten it",
    }),
  );
});

test("an array nested 30 deep is kept, and so is an object that occurs twice", () => {
  expect(toolValue(deep(30))).toEqual(deep(30));
  const shared = { id: 1 };
  expect(toolValue([shared, [[shared]]])).toEqual([shared, [[shared]]]);
});

function deepThrow(): never {
  throw new Error("no keys");
}

test("a result may be as long as the limit but no longer", () => {
  expect(toolValue("x".repeat(98), 100)).toHaveLength(98);
  for (const value of [
    "x".repeat(99),
    Array.from({ length: 60 }, () => 1),
    { ["k".repeat(99)]: 1 },
  ]) {
    expect(() => toolValue(value, 100)).toThrow("longer than 100 characters");
  }
});

test("a very large result is refused before it is serialized", () => {
  let written = 0;
  const member = { toJSON: () => ++written };
  expect(() => toolValue(Array(1_000_000).fill(member), 1000)).toThrow("longer than");
  expect(written).toBeLessThanOrEqual(1000);
});

test("every JSON value is returned unchanged", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(toolValue(value)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test.each<readonly [string, unknown, string]>([
  ["an Error", new Error("broken\n  at line 1"), "broken"],
  ["a text", "broken", "broken"],
  ["nothing", undefined, "undefined"],
  ["an object without a text", Object.create(null), "the error has no message"],
])("messageOf gives one line for %s", (_, error, message) => {
  expect(messageOf(error)).toBe(message);
});
