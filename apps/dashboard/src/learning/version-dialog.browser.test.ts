import { type PolicyVersion, type VersionReportResponse, WaggleError } from "@waggle/protocol";
import { beforeEach, expect, test, vi } from "vitest";
import "../../styles/page.css";
import "../../styles/control.css";
import { showVersion } from "./version-dialog.ts";

const POLICY: PolicyVersion = {
  version: 7,
  parent: 6,
  baseModel: "b".repeat(64),
  status: "stable",
  evaluation: null,
  adapter: null,
  step: 40,
  publishedAt: "2026-11-29T12:00:00.000Z",
};
const answer = (request: string, text: string, success = true) => ({
  request,
  text,
  calls: ['find_product {"name":"mug"}'],
  success,
});
const HOSTILE = "<img src=x onerror=alert(1)>";
const FOUND: VersionReportResponse = {
  visitors: 31,
  report: {
    learnedFrom: {
      recipe: "signals-reinforce",
      steps: 4,
      trajectories: 64,
      signals: [
        { signal: "thumb", trajectories: 40, weight: 3 },
        { signal: "outcome:booked", trajectories: 30, weight: 1 },
      ],
      prompts: [{ version: "next-message-1", trajectories: 7 }],
      consents: [{ version: "2026-12-01", trajectories: 64 }],
    },
    answers: {
      comparedWith: 6,
      pairs: [
        { before: answer("Same?", "Yes."), after: answer("Same?", "Yes.") },
        { before: answer("Wording?", HOSTILE), after: answer("Wording?", "Another.") },
        { before: answer("Lost?", "Right."), after: answer("Lost?", "Wrong.", false) },
      ],
    },
  },
};

beforeEach(() => {
  document.body.replaceChildren();
});
const dialog = () => document.querySelector("dialog");
const texts = (selector: string) =>
  [...document.querySelectorAll(`dialog ${selector}`)].map((one) => one.textContent);

test("the dialog has each signal with its share, the consent versions and the visitors", async () => {
  await showVersion({ versionReport: async () => FOUND }, POLICY);
  const rows = [...document.querySelectorAll("dialog tbody tr")].map((row) =>
    [...row.children].map((cell) => cell.textContent),
  );
  expect(rows).toEqual([
    ["Thumbs", "40", "3", "75.0\u00a0%"],
    ["Outcome booked", "30", "1", "25.0\u00a0%"],
  ]);
  expect(texts(".caption")[0]).toBe(
    "4 steps of signals-reinforce since v6: 64 trajectories of 31 visitors. Consent versions: 2026-12-01 (64 trajectories). Prompts of the judge: next-message-1 (7 trajectories).",
  );
});

test("answers are side by side, changed ones first, and texts are never markup", async () => {
  await showVersion({ versionReport: async () => FOUND }, POLICY);
  expect(texts(".asked")).toEqual(["Lost?", "Wording?", "Same?"]);
  expect(document.querySelectorAll(".answer-pair.same")).toHaveLength(1);
  expect(texts("h3").slice(0, 2)).toEqual(["v6 solved", "v7 failed"]);
  expect(texts("p.wrap")).toContain(HOSTILE);
  expect(document.querySelector("dialog img")).toBeNull();
  expect(dialog()?.textContent).toContain("2 of 3 answers to frozen tasks changed.");
});

test("a version without a report says so, and Close removes the dialog", async () => {
  await showVersion(
    { versionReport: () => Promise.reject(new WaggleError("NOT_FOUND", "there is no report")) },
    POLICY,
  );
  expect(dialog()?.textContent).toContain("There is no report about this version.");
  dialog()?.querySelector("button")?.click();
  await vi.waitFor(() => expect(dialog()).toBeNull());
});
