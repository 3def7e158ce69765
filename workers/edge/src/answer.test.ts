/** Errors cross a Durable Object's RPC as data, and faults do not. */
import { WaggleError } from "@waggle/protocol";
import { expect, test } from "vitest";
import { answer, unwrap } from "./answer.ts";

test("a value arrives unchanged", async () => {
  expect(unwrap(await answer(async () => 7))).toBe(7);
});

test("an error keeps its code, its message and its waiting time", async () => {
  const limited = new WaggleError("RATE_LIMITED", "wait", { retryAfterMs: 250 });
  const answered = await answer(() => Promise.reject(limited));
  expect(answered).toEqual({
    ok: false,
    code: "RATE_LIMITED",
    message: "wait",
    retryAfterMs: 250,
  });
  expect(() => unwrap(answered)).toThrow(
    expect.objectContaining({ code: "RATE_LIMITED", message: "wait", retryAfterMs: 250 }),
  );
});

test("an error without a waiting time gets none", async () => {
  const answered = await answer(() => Promise.reject(new WaggleError("NOT_FOUND", "gone")));
  expect(answered).toMatchObject({ ok: false, retryAfterMs: null });
  expect(() => unwrap(answered)).toThrow(expect.objectContaining({ retryAfterMs: undefined }));
});

test("a fault is thrown", async () => {
  await expect(answer(() => Promise.reject(new TypeError("a fault")))).rejects.toThrow("a fault");
});
