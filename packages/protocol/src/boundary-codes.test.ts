/** What an error carries over a boundary, so that the other side can decide what to do. */
import { expect, test } from "vitest";
import { boundary, type BoundaryName, WaggleError } from "./errors.ts";

const thrownBy = (name: BoundaryName, cause: unknown): Promise<unknown> =>
  boundary(name, () => Promise.reject(cause)).catch((error: unknown) => error);

test.each([
  ["verifier", "REWARD_UNAVAILABLE"],
  ["tool", "TOOL_UNAVAILABLE"],
  ["network", "NETWORK"],
  ["storage", "STORAGE_UNAVAILABLE"],
  ["device", "DEVICE_LOST"],
] as const)("a failure of the %s boundary has the code %s", async (name, code) => {
  const error = await thrownBy(name, new Error("it broke"));
  expect(error).toMatchObject({ name: "WaggleError", code, retryable: true });
  expect(error).toMatchObject({ message: `${name} failed: it broke` });
});

test("what is thrown without an error's class is named, and long messages are cut", async () => {
  expect(await thrownBy("tool", "plain text")).toMatchObject({
    message: "tool failed: plain text",
  });
  const long = (await thrownBy("tool", new Error("x".repeat(9999)))) as Error;
  expect(long.message).toHaveLength("tool failed: ".length + 500);
});

test("an error is not to be retried unless it says so", () => {
  expect(new WaggleError("NOT_FOUND", "gone")).toMatchObject({
    retryable: false,
    retryAfterMs: undefined,
  });
  const busy = new WaggleError("RATE_LIMITED", "later", { retryable: true, retryAfterMs: 50 });
  expect(busy).toMatchObject({ retryable: true, retryAfterMs: 50 });
  expect("cause" in busy).toBe(false);
  expect(new WaggleError("INTERNAL", "x", { cause: null }).cause).toBeNull();
});

test("primitives and plain objects are no WaggleErrors", () => {
  for (const value of [undefined, "NETWORK", 5, { code: "NETWORK" }]) {
    expect(WaggleError.is(value)).toBe(false);
    expect(WaggleError.is(value, "NETWORK")).toBe(false);
  }
});
