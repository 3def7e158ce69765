import { expect, test } from "vitest";
import { type Guidance, readGuidance, writeGuidance } from "./guidance.ts";
import { PolicyVersion } from "./policy-version.ts";

const GUIDANCE: Guidance = {
  formatVersion: 1,
  prompt: "Search before you answer.",
  lessons: ["A name is not an address."],
  cases: {
    memory: {
      cases: [
        {
          id: "k0",
          situation: "red star",
          action: "left",
          reward: 1,
          value: 0.9,
          reads: 3,
          byStage: { refine: 0.5 },
        },
      ],
      written: 1,
    },
    policy: { weights: [0, 1, 1], temperature: 0.1 },
  },
};
const bytesOf = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

test("guidance round-trips through bytes, and the order of keys does not change them", () => {
  expect(readGuidance(writeGuidance(GUIDANCE))).toEqual(GUIDANCE);
  const { prompt, ...rest } = GUIDANCE;
  expect(writeGuidance({ ...rest, prompt })).toEqual(writeGuidance(GUIDANCE));
});

const memoryOf = (entry: object): object => ({
  ...GUIDANCE,
  cases: { ...GUIDANCE.cases, memory: { cases: [entry], written: 1 } },
});
const [entry] = GUIDANCE.cases?.memory.cases ?? [];

test.each([
  ["another version", { ...GUIDANCE, formatVersion: 2 }, "SCHEMA_VERSION_UNSUPPORTED"],
  ["an unknown member", { ...GUIDANCE, script: "x" }, "SCHEMA_INVALID"],
  ["a prompt above its limit", { ...GUIDANCE, prompt: "x".repeat(4001) }, "SCHEMA_INVALID"],
  ["a control character", { ...GUIDANCE, prompt: "a\u0000b" }, "SCHEMA_INVALID"],
  ["a terminal escape sequence", { ...GUIDANCE, prompt: "\u001b[2J" }, "SCHEMA_INVALID"],
  ["an unpaired surrogate", { ...GUIDANCE, lessons: ["\ud800"] }, "SCHEMA_INVALID"],
  ["too many lessons", { ...GUIDANCE, lessons: Array(65).fill("x") }, "SCHEMA_INVALID"],
  ["a lesson that is not text", { ...GUIDANCE, lessons: [4] }, "SCHEMA_INVALID"],
  ["a value that is not a number", memoryOf({ ...entry, value: null }), "SCHEMA_INVALID"],
  ["a value out of range", memoryOf({ ...entry, value: 1e300 }), "SCHEMA_INVALID"],
  ["an action above its limit", memoryOf({ ...entry, action: "x".repeat(1001) }), "SCHEMA_INVALID"],
  ["a list", [], "SCHEMA_INVALID"],
])("%s is refused", (_, value, code) => {
  expect(() => readGuidance(bytesOf(value))).toThrow(expect.objectContaining({ code }));
});

test("invalid JSON, invalid UTF-8 and oversized guidance are refused", () => {
  for (const bytes of [new TextEncoder().encode("{"), Uint8Array.of(0x22, 0xff, 0x22)]) {
    expect(() => readGuidance(bytes)).toThrow(expect.objectContaining({ code: "SCHEMA_INVALID" }));
  }
  expect(() => readGuidance(new Uint8Array(256 * 1024 + 1))).toThrow(
    expect.objectContaining({ code: "PAYLOAD_TOO_LARGE" }),
  );
  expect(() => writeGuidance({ ...GUIDANCE, prompt: "x".repeat(5000) })).toThrow(
    expect.objectContaining({ code: "SCHEMA_INVALID" }),
  );
});

test("a version without guidance is valid and gets no guidance member", () => {
  const version = {
    version: 0,
    parent: null,
    baseModel: "0".repeat(64),
    adapter: null,
    status: "stable",
    evaluation: null,
    step: 0,
    publishedAt: "2026-11-20T00:00:00.000Z",
  };
  expect(PolicyVersion.parse(version)).toEqual(version);
  const guidance = { sha256: "1".repeat(64), sizeBytes: 10 };
  expect(PolicyVersion.parse({ ...version, guidance })).toEqual({ ...version, guidance });
  expect(
    PolicyVersion.safeParse({ ...version, guidance: { ...guidance, sizeBytes: 1e9 } }).success,
  ).toBe(false);
});
