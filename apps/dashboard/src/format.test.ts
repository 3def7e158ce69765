import { expect, test } from "vitest";
import { formatAgo, formatBytes, formatNumber, formatPercent, formatSigned } from "./format.ts";

test("numbers keep their significant digits, and small ones their magnitude", () => {
  expect(formatNumber(0.123456)).toBe("0.123");
  expect(formatNumber(1234.5)).toBe("1235");
  expect(formatNumber(0.00001234)).toBe("1.2e-5");
  expect(formatNumber(0)).toBe("0");
});

test("a missing number is a dash, never a zero", () => {
  expect(formatNumber(null)).toBe("–");
  expect(formatNumber(Number.NaN)).toBe("–");
  expect(formatPercent(null)).toBe("–");
  expect(formatSigned(null)).toBe("–");
});

test("signed numbers show their sign", () => {
  expect([formatSigned(0.5), formatSigned(-0.5), formatSigned(0)]).toEqual(["+0.5", "−0.5", "0"]);
});

test("sizes and ages switch to the next unit at its boundary", () => {
  expect([1023, 1024, 3 * 1024 * 1024].map(formatBytes)).toEqual([
    "1023\u00a0B",
    "1\u00a0KB",
    "3\u00a0MB",
  ]);
  const now = Date.parse("2026-11-20T12:00:00.000Z");
  const ago = (seconds: number) => formatAgo(new Date(now - seconds * 1000).toISOString(), now);
  expect([59, 60, 3599, 3600, 86_400].map(ago)).toEqual(["59 s", "1 min", "59 min", "1 h", "1 d"]);
});
