import {
  type ControlState,
  FULL_SUPPORT,
  type StaffNoteRequest,
  type TrajectoryDetail,
  WaggleError,
} from "@waggle/protocol";
import { afterEach, expect, test, vi } from "vitest";
import { userEvent } from "vitest/browser";
import "../../styles/page.css";
import "../../styles/notes.css";
import { createNotePanel } from "./note-panel.ts";

const AT = "2026-11-20T12:00:00.000Z";
const HOSTILE = "<img src=x onerror=alert(1)>";
const ID = "8f14e45f-ceea-467f-a8f1-5d2b5f0f0a01";

const detail: TrajectoryDetail = {
  row: {
    digest: "a".repeat(64),
    id: ID,
    visitorId: ID,
    groupId: null,
    receivedAt: AT,
    status: "learned",
    reason: null,
    policyVersion: 0,
    task: null,
    tokens: 1,
    stopReason: "completed",
    reward: 0,
    success: false,
    advantage: 0,
    learnedAtStep: 1,
    staleness: 0,
    logProbGapMean: 0,
    logProbGapMax: 0,
  },
  trajectory: {
    schemaVersion: 1,
    id: ID,
    task: null,
    assignmentId: null,
    consent: { version: "1", scopes: ["collect", "train"], grantedAt: AT },
    client: { build: "0", backend: "wasm", device: "cpu", crossOriginIsolated: true },
    baseModel: "b".repeat(64),
    policyVersion: 0,
    segments: [
      { kind: "given", id: "s0", parent: null, role: "user", tokenIds: [1] },
      {
        kind: "sampled",
        id: "s1",
        parent: "s0",
        policyVersion: 0,
        sampling: { ...FULL_SUPPORT, seed: 1 },
        grammar: null,
        tokenIds: [7],
        behaviorLogProbs: [0],
        rawLogProbs: [0],
        entropies: [0],
        stopReason: "stop-token",
      },
    ],
    turns: [{ segmentId: "s1", toolCalls: [], toolResults: [], parseError: null }],
    stopReason: "completed",
    terminated: true,
    truncated: false,
    startedAt: AT,
    endedAt: AT,
  },
  feedback: [],
  notes: [{ id: ID, kind: "comment", text: HOSTILE, by: "Ann", at: AT }],
};

let panel: HTMLElement | null = null;
afterEach(() => panel?.remove());

/** The panel at an edge that stores what `store` returns. */
function open(
  shown: TrajectoryDetail = detail,
  store: (note: StaffNoteRequest) => Promise<string> = async ({ text }) => text,
  feedbackFrom: ControlState["feedbackFrom"] = ["edit", "staff"],
) {
  const sent: StaffNoteRequest[] = [];
  panel = createNotePanel(
    {
      control: async () => ({ environment: "", frozen: null, killed: null, feedbackFrom }),
      addNote: async (_, note) => {
        sent.push(note);
        return { ...note, text: await store(note), by: "Bo", at: new Date().toISOString() };
      },
    },
    shown,
  );
  if (panel !== null) document.body.append(panel);
  const find = <T extends Element>(selector: string) => panel?.querySelector<T>(selector) ?? null;
  return {
    sent,
    text: () => find<HTMLTextAreaElement>("textarea"),
    state: () => find("[role=status]")?.textContent,
    effect: () => find("#note-effect")?.textContent,
    notes: () => [...(panel?.querySelectorAll(".note-text") ?? [])].map((one) => one.textContent),
  };
}

test("the keyboard alone writes an answer and a comment, and both are shown", async () => {
  const view = open();
  await userEvent.keyboard("{Tab}");
  expect(document.activeElement?.getAttribute("value")).toBe("answer");
  await userEvent.keyboard("{Tab}It costs 3.{Tab}{Enter}");
  await vi.waitFor(() => expect(view.state()).toBe("Saved."));
  view.text()?.focus();
  await userEvent.keyboard(
    "{Shift>}{Tab}{/Shift}{ArrowRight}{Tab}The price list is old.{Tab}{Enter}",
  );
  await vi.waitFor(() => expect(view.sent.length).toBe(2));
  await vi.waitFor(() => expect(view.notes().length).toBe(3));
  expect(view.sent.map(({ kind, text }) => [kind, text])).toEqual([
    ["answer", "It costs 3."],
    ["comment", "The price list is old."],
  ]);
  expect(view.notes()).toEqual([HOSTILE, "It costs 3.", "The price list is old."]);
  expect(view.text()?.value).toBe("");
  expect(panel?.querySelector("img")).toBeNull();
});

test("a screen reader gets the name of the field, what it does, and the state", () => {
  const view = open();
  const field = view.text();
  expect(field?.labels?.[0]?.textContent).toBe("This answer should have been …");
  expect(field?.getAttribute("aria-describedby")).toBe("note-effect");
  expect(panel?.querySelector("legend")?.textContent).toBe("Kind of note");
  panel?.querySelector<HTMLInputElement>("[value=comment]")?.click();
  expect(field?.labels?.[0]?.textContent).toBe("Comment for colleagues");
  expect(view.effect()).toContain("Nothing learns from it");
});

test("while it is saved it is not sent twice, and an error keeps the text and the id", async () => {
  const replies = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  let calls = 0;
  const view = open(detail, async () => (await replies[calls++]?.promise) ?? "");
  const field = view.text();
  if (field) field.value = "It costs 3.";
  const save = () => panel?.querySelector("button")?.click();
  save();
  save();
  expect(view.state()).toBe("Saving …");
  expect(view.sent.length).toBe(1);
  replies[0]?.reject(new WaggleError("NETWORK", "away", { retryable: true }));
  await vi.waitFor(() => expect(view.state()).toContain("the edge does not respond"));
  expect(view.text()?.value).toBe("It costs 3.");
  save();
  replies[1]?.resolve("It costs [PHONE_1].");
  await vi.waitFor(() => expect(view.state()).toContain("Placeholders replace"));
  expect(view.sent[1]).toEqual(view.sent[0]);
  expect(view.notes()).toContain("It costs [PHONE_1].");
});

test("without permission the text stays, and the page says what to do", async () => {
  const view = open(detail, () => Promise.reject(new WaggleError("UNAUTHENTICATED", "no")));
  const field = view.text();
  if (field) field.value = "It costs 3.";
  panel?.querySelector("button")?.click();
  await vi.waitFor(() => expect(view.state()).toContain("may not write notes here"));
  expect(panel?.querySelector(".notice")?.className).toBe("notice bad");
  expect(view.text()?.value).toBe("It costs 3.");
});

test("the panel says whether the policy will learn the answer", async () => {
  await vi.waitFor(() => expect(open().effect()).toContain("will learn to answer so"));
  panel?.remove();
  const silent = open(detail, undefined, ["thumb"]);
  await vi.waitFor(() => expect(silent.effect()).toContain("does not learn from staff"));
  panel?.remove();
  const rejected = open({ ...detail, row: { ...detail.row, status: "rejected" } });
  expect(rejected.effect()).toContain("has rejected this trajectory");
});

test("practice tasks and turns that call a tool can only be commented on", () => {
  const task = { environment: "shop", seed: 1, split: "train" } as const;
  open({ ...detail, row: { ...detail.row, task } });
  expect(panel?.textContent).toContain("A verifier judges practice tasks");
  expect(panel?.querySelector("[type=radio]")).toBeNull();
  panel?.remove();
  const toolCalls = [{ id: "c0", name: "search", arguments: {} }];
  const turns = detail.trajectory.turns.map((turn) => ({ ...turn, toolCalls }));
  const view = open({ ...detail, trajectory: { ...detail.trajectory, turns } });
  expect(panel?.textContent).toContain("no plain answer");
  expect(view.effect()).toContain("Nothing learns from it");
});

test.each([
  ["statistics-only", {}, "the site keeps statistics only"],
  ["consent-expired", {}, "older than the site allows"],
  ["consent-withdrawn", {}, "has withdrawn the consent, or allows less"],
  ["no-train-consent", { scopes: ["collect", "feedback"] }, "did not agree to training"],
  [null, { scopes: ["collect", "train"] }, "did not agree to the use of feedback"],
] as const)("a record that teaches nothing (%s) can only be commented on", (reason, edit, why) => {
  const consent = { ...detail.trajectory.consent, choices: true as const, ...edit };
  const scopes = "scopes" in edit ? [...edit.scopes] : (["collect", "train", "feedback"] as const);
  const trajectory = { ...detail.trajectory, consent: { ...consent, scopes: [...scopes] } };
  open({ ...detail, row: { ...detail.row, status: "skipped", reason }, trajectory });
  expect(panel?.textContent).toContain(why);
  expect(panel?.querySelector("[type=radio]")).toBeNull();
});

test("a record whose consent has ended since can only be commented on", () => {
  open({ ...detail, consentEnded: "consent-withdrawn" });
  expect(panel?.textContent).toContain("has withdrawn the consent");
  expect(panel?.querySelector("[type=radio]")).toBeNull();
});

test("an edge of the previous release has no panel", () => {
  const { notes: _, ...old } = detail;
  open(old);
  expect(panel).toBeNull();
});
