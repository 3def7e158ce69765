import type { DeadLettersResponse } from "@waggle/protocol";
import { afterEach, expect, test, vi } from "vitest";
import "../styles/page.css";
import { createDeadLetters } from "./dead-letter-view.ts";
import type { OperatorApi } from "./operator-api.ts";
import type { View } from "./view.ts";

const AT = "2026-11-20T12:00:00.000Z";
const letter = {
  digest: "a".repeat(64),
  reason: "lease-failed",
  failedLeases: 5,
  sizeBytes: 24_000,
  receivedAt: AT,
  diedAt: AT,
  groupId: null,
};

let view: View | null = null;
afterEach(() => view?.dispose());

function show(letters: DeadLettersResponse["rows"]) {
  let rows = letters;
  const done: string[] = [];
  const act = (verb: string) => async (digest: string) => {
    done.push(`${verb} ${digest.slice(0, 4)}`);
    rows = rows.filter((row) => row.digest !== digest);
  };
  const api = {
    deadLetters: async () => ({ rows, nextCursor: null }),
    retryDeadLetter: act("retry"),
    deleteDeadLetter: act("delete"),
  } as unknown as OperatorApi;
  view = createDeadLetters({ api, onPoll: () => undefined });
  document.body.replaceChildren(view.element);
  const button = (label: string) =>
    [...document.querySelectorAll("button")].find((one) => one.textContent === label);
  return { done, button };
}

test("a dead letter shows its reason and count, and can be retried", async () => {
  const { done, button } = show([letter]);
  await vi.waitFor(() => expect(document.body.textContent).toContain("lease-failed"));
  expect(document.body.textContent).toContain("no trainer finished a lease of it");
  button("Retry")?.click();
  await vi.waitFor(() => expect(done).toEqual(["retry aaaa"]));
  await vi.waitFor(() =>
    expect(document.body.textContent).toContain("All trajectories were processed."),
  );
});

test("a dead letter is deleted only after confirmation", async () => {
  const { done, button } = show([letter]);
  await vi.waitFor(() => expect(button("Delete")).toBeDefined());
  button("Delete")?.click();
  button("Cancel")?.click();
  await vi.waitFor(() => expect(document.querySelector("dialog")).toBeNull());
  expect(done).toEqual([]);
  button("Delete")?.click();
  document.querySelector<HTMLButtonElement>("dialog button.danger")?.click();
  await vi.waitFor(() => expect(done).toEqual(["delete aaaa"]));
});
