import type { ConsentResponse, QuarantineResponse } from "@waggle/protocol";
import { afterEach, expect, test, vi } from "vitest";
import "../styles/page.css";
import type { OperatorApi } from "./operator-api.ts";
import { createVisitors } from "./visitors-view.ts";
import type { View } from "./view.ts";

const SENDERS: QuarantineResponse["senders"] = [
  {
    id: "00000000-0000-4000-8000-000000000007",
    kind: "visitor",
    verified: 1,
    forged: 3,
    dropped: 2,
    reason: "not-drawn-from-seed",
    changedAt: "2026-11-20T12:00:00.000Z",
  },
  {
    id: "f".repeat(64),
    kind: "network",
    verified: 0,
    forged: 3,
    dropped: 0,
    reason: "log-prob-gap",
    changedAt: "2026-11-20T12:00:00.000Z",
  },
];

let view: View | null = null;
afterEach(() => view?.dispose());

function show(listed: QuarantineResponse["senders"]) {
  let senders = listed;
  const released: string[] = [];
  const api = {
    consent: async (): Promise<ConsentResponse> => ({ versions: [] }),
    quarantine: async () => ({ senders }),
    release: async (id: string) => {
      released.push(id);
      senders = senders.filter((sender) => sender.id !== id);
    },
  } as unknown as OperatorApi;
  view = createVisitors({ api, onPoll: () => undefined }, "");
  document.body.replaceChildren(view.element);
  return released;
}

const rows = () =>
  [...document.querySelectorAll("tbody tr")].map((row) =>
    [...row.children].map((cell) => cell.textContent),
  );

test("those in quarantine are listed by pseudonym with reason and counts, and can be released", async () => {
  const released = show(SENDERS);
  await vi.waitFor(() => expect(rows()).toHaveLength(2));
  expect(rows()[0]?.slice(1, 5)).toEqual([
    "the tokens are not the ones that the sampling seed selects",
    "1",
    "3",
    "2",
  ]);
  expect(rows()[1]?.[1]).toBe(
    "the recorded log-probs are not those of the version that it names (new visitors wait)",
  );
  const buttons = [...document.querySelectorAll("button")];
  buttons.find(({ textContent }) => textContent === "Release")?.click();
  await vi.waitFor(() => expect(rows()).toHaveLength(1));
  expect(released).toEqual(["00000000-0000-4000-8000-000000000007"]);
});

test("an empty list says so", async () => {
  show([]);
  await vi.waitFor(() => expect(document.body.textContent).toContain("Nobody is in quarantine."));
});
