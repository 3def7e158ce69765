import fc from "fast-check";
import { expect, test } from "vitest";
import { ToolDifference, toolDifference } from "./tool-difference.ts";
import type { ToolResult } from "./tool.ts";

const given = (value: unknown): ToolResult => ({ callId: "c", ok: true, value });
const call = (name: string, value: object) => ({ id: "c", name, arguments: { ...value } });

test("the first difference is visible in long results", () => {
  const rows = Array.from({ length: 500 }, (_, n) => ({ n }));
  const changed = rows.map(({ n }) => ({ n: n === 400 ? -1 : n }));
  const { inPage, inEnvironment } = toolDifference(
    2,
    call("list", {}),
    given(rows),
    given(changed),
  );
  expect(inPage).toMatch(/^….*\{"n":399\},\{"n":400\},.*…$/);
  expect(inEnvironment).toMatch(/^….*\{"n":399\},\{"n":-1\},.*…$/);
});

test("the order of members is no difference, and secrets are masked at any depth", () => {
  const inPage = given({ b: 1, a: [{ password: "hunter2", API_KEY: "k" }] });
  const inEnvironment = given({ a: [{ API_KEY: "l", password: "" }], b: 2 });
  expect(
    toolDifference(1, call("login", { accessToken: "t", n: 1 }), inPage, inEnvironment),
  ).toEqual({
    turn: 1,
    tool: "login",
    arguments: '{"accessToken":"…","n":1}',
    inPage: '{"a":[{"API_KEY":"…","password":"…"}],"b":1}',
    inEnvironment: '{"a":[{"API_KEY":"…","password":"…"}],"b":2}',
  });
});

test("a missing call or result, and errors, are named", () => {
  const refused = {
    callId: "c",
    ok: false,
    error: { code: "CONFLICT", message: "no\nroom" },
  } as const;
  expect(toolDifference(1, undefined, undefined, refused)).toEqual({
    turn: 1,
    tool: "a tool",
    arguments: "{}",
    inPage: "nothing",
    inEnvironment: String.raw`the error CONFLICT: no\u{a}room`,
  });
});

test("the difference matches the schema for any claim of a page", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.json(), fc.json(), (name, one, other) => {
      const [a, b] = [given(JSON.parse(one)), given([name.repeat(20), JSON.parse(other)])];
      ToolDifference.parse(toolDifference(1, call(name.repeat(9), { name }), a, b));
    }),
  );
});

test.each(["\u202e", "\u200b", "\n", "\ud800", "x".repeat(201)])(
  "the text %j is refused",
  (text) => {
    const difference = { turn: 1, tool: "t", arguments: "", inPage: text, inEnvironment: "" };
    expect(ToolDifference.safeParse(difference).success).toBe(false);
  },
);
