import { expect, test, vi } from "vitest";
import { Confirmations } from "./confirmations.ts";

const never = new AbortController().signal;

test("questions are asked one after the other, and each gets its own answer", async () => {
  const changed = vi.fn<() => void>();
  const confirmations = new Confirmations(changed);
  const first = confirmations.ask("pay", "Pay?", never);
  const second = confirmations.ask("book", "Book?", never);
  expect(confirmations.pending).toMatchObject({ toolName: "pay", question: "Pay?" });
  confirmations.pending?.answer(true);
  expect(confirmations.pending).toMatchObject({ toolName: "book" });
  confirmations.pending?.answer(false);
  expect(await Promise.all([first, second])).toEqual([true, false]);
  expect(confirmations.pending).toBeNull();
  expect(changed).toHaveBeenCalledTimes(4);
});

test("a question whose request ends is declined and disappears", async () => {
  const confirmations = new Confirmations(() => undefined);
  const controller = new AbortController();
  const asked = confirmations.ask("pay", "Pay?", controller.signal);
  controller.abort();
  expect(await asked).toBe(false);
  expect(confirmations.pending).toBeNull();
  expect(await confirmations.ask("pay", "Pay?", controller.signal)).toBe(false);
});

test("only the first answer counts", async () => {
  const confirmations = new Confirmations(() => undefined);
  const asked = confirmations.ask("pay", "Pay?", never);
  const question = confirmations.pending;
  question?.answer(false);
  question?.answer(true);
  expect(await asked).toBe(false);
});
