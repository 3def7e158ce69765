import { expect, test } from "vitest";
import { boundary, WaggleError } from "./errors.ts";

test("an error is recognized by brand and code, even when another bundle defines its class", () => {
  const foreign = Object.assign(new Error("x"), { code: "NETWORK", retryable: true });
  Object.defineProperty(foreign, Symbol.for("waggle.error"), { value: true });
  expect(WaggleError.is(foreign, "NETWORK")).toBe(true);
  expect(WaggleError.is(foreign, "TIMEOUT")).toBe(false);
  expect(WaggleError.is(new Error("x"))).toBe(false);
  expect(WaggleError.is(null)).toBe(false);
});

test("a boundary turns a plain error into a retryable WaggleError and keeps its cause", async () => {
  const cause = new TypeError("socket closed");
  const error = await boundary("verifier", () => Promise.reject(cause)).catch((e: unknown) => e);
  expect(WaggleError.is(error, "REWARD_UNAVAILABLE")).toBe(true);
  expect(error).toMatchObject({ retryable: true, cause });
});

test("a boundary rethrows WaggleErrors and aborts unchanged", async () => {
  const typed = new WaggleError("QUOTA_EXCEEDED", "full");
  await expect(boundary("storage", () => Promise.reject(typed))).rejects.toBe(typed);
  const abort = new DOMException("stopped", "AbortError");
  await expect(boundary("network", () => Promise.reject(abort))).rejects.toBe(abort);
  await expect(boundary("network", () => 5)).resolves.toBe(5);
});
