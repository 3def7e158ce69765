import {
  FULL_SUPPORT,
  type TrajectoryDetail,
  type TrajectoryRow,
  WaggleError,
} from "@waggle/protocol";
import { afterEach, expect, test, vi } from "vitest";
import "../styles/page.css";
import type { OperatorApi } from "./operator-api.ts";
import { createTrajectoryView } from "./trajectory-view.ts";
import type { View } from "./view.ts";

const DIGEST = "a".repeat(64);
const AT = "2026-11-20T12:00:00.000Z";
const HOSTILE = "<img src=x onerror=alert(1)>";

const row: TrajectoryRow = {
  digest: DIGEST,
  id: "8f14e45f-ceea-467f-a8f1-5d2b5f0f0a01",
  visitorId: "8f14e45f-ceea-467f-a8f1-5d2b5f0f0a02",
  groupId: "8f14e45f-ceea-467f-a8f1-5d2b5f0f0a03",
  receivedAt: AT,
  status: "learned",
  reason: null,
  policyVersion: 3,
  task: { environment: "shop", seed: 5, split: "train" },
  tokens: 3,
  stopReason: "completed",
  reward: 1,
  success: true,
  advantage: 0.25,
  learnedAtStep: 9,
  staleness: 1,
  logProbGapMean: 0.0001,
  logProbGapMax: 0.001,
};

const DISAGREEING = "e".repeat(64);
const disagreeing: TrajectoryRow = {
  ...row,
  digest: DISAGREEING,
  status: "rejected",
  reason: "replay-mismatch at turn 1",
  difference: { turn: 1, tool: "find", arguments: "{}", inPage: HOSTILE, inEnvironment: "3" },
};

const detail: TrajectoryDetail = {
  row,
  trajectory: {
    schemaVersion: 1,
    id: row.id,
    task: row.task,
    assignmentId: null,
    consent: { version: "1", scopes: ["collect", "train"], grantedAt: AT },
    client: { build: "0", backend: "wasm", device: HOSTILE, crossOriginIsolated: true },
    baseModel: "b".repeat(64),
    policyVersion: 3,
    segments: [
      { kind: "given", id: "s0", parent: null, role: "user", tokenIds: [1, 2] },
      {
        kind: "sampled",
        id: "s1",
        parent: "s0",
        policyVersion: 3,
        sampling: { ...FULL_SUPPORT, seed: 1 },
        grammar: null,
        tokenIds: [7, 8, 9],
        behaviorLogProbs: [0, Math.log(0.1), Math.log(0.001)],
        rawLogProbs: [Math.log(0.1), 0, 0],
        entropies: [0, 0, 0],
        stopReason: "stop-token",
      },
    ],
    turns: [
      {
        segmentId: "s1",
        toolCalls: [{ id: "c0", name: "search", arguments: { query: HOSTILE } }],
        toolResults: [
          { callId: "c0", ok: false, error: { code: "TOOL_FAILED", message: "no such product" } },
        ],
        parseError: null,
      },
    ],
    stopReason: "completed",
    terminated: true,
    truncated: false,
    startedAt: AT,
    endedAt: AT,
  },
  receipt: {
    receipt: {
      site: "default",
      visitorId: row.visitorId,
      consent: { version: "1", scopes: ["collect", "train"], grantedAt: AT },
      text: { sha256: "f".repeat(64), language: "de" },
      recordedAt: AT,
      signature: "A".repeat(43),
    },
    withdrawnAt: "2026-11-21T12:00:00.000Z",
  },
  feedback: [],
};

/** An edge with one trajectory and no tokenizer. */
const api: OperatorApi = {
  health: async () => ({ at: "2026-11-20T12:00:00.000Z", trainers: [], refusals: [], days: 7 }),
  summary: () => Promise.reject(new WaggleError("NOT_FOUND", "none")),
  policies: () => Promise.reject(new WaggleError("NOT_FOUND", "none")),
  releases: () => Promise.resolve({ releases: [] }),
  metrics: () => Promise.resolve({ rows: [] }),
  trajectories: () =>
    Promise.resolve({
      rows: [row, { ...row, digest: "c".repeat(64), reward: 0, success: false, advantage: -0.25 }],
      nextCursor: null,
    }),
  trajectory: (digest) => {
    if (digest === DIGEST) return Promise.resolve(detail);
    if (digest === DISAGREEING) return Promise.resolve({ ...detail, row: disagreeing });
    return Promise.reject(new WaggleError("NOT_FOUND", "a trajectory must be stored"));
  },
  addNote: () => Promise.reject(new WaggleError("NOT_FOUND", "none")),
  manifest: () => Promise.reject(new WaggleError("NOT_FOUND", "none")),
  object: () => Promise.reject(new WaggleError("NOT_FOUND", "none")),
  promote: () => Promise.reject(new WaggleError("NOT_FOUND", "none")),
  rollBack: () => Promise.reject(new WaggleError("NOT_FOUND", "none")),
  control: () => Promise.reject(new WaggleError("NOT_FOUND", "none")),
  freeze: () => Promise.reject(new WaggleError("NOT_FOUND", "none")),
  unfreeze: () => Promise.reject(new WaggleError("NOT_FOUND", "none")),
  setKillSwitch: () => Promise.reject(new WaggleError("NOT_FOUND", "none")),
  clearKillSwitch: () => Promise.reject(new WaggleError("NOT_FOUND", "none")),
  versionReport: () => Promise.reject(new WaggleError("NOT_FOUND", "none")),
  stopSignal: () => Promise.reject(new WaggleError("NOT_FOUND", "none")),
  startSignal: () => Promise.reject(new WaggleError("NOT_FOUND", "none")),
  audit: () => Promise.resolve({ entries: [] }),
  consent: () => Promise.reject(new WaggleError("NOT_FOUND", "none")),
  exportVisitor: () => Promise.reject(new WaggleError("NOT_FOUND", "none")),
  deleteVisitor: () => Promise.reject(new WaggleError("NOT_FOUND", "none")),
  quarantine: () => Promise.resolve({ senders: [] }),
  release: () => Promise.reject(new WaggleError("NOT_FOUND", "none")),
  deadLetters: () => Promise.resolve({ rows: [], nextCursor: null }),
  sites: () => Promise.resolve({ sites: [] }),
  retryDeadLetter: () => Promise.reject(new WaggleError("NOT_FOUND", "none")),
  deleteDeadLetter: () => Promise.reject(new WaggleError("NOT_FOUND", "none")),
};

let view: View | undefined;
afterEach(() => {
  view?.dispose();
  view?.element.remove();
});

async function openView(digest = DIGEST, ready = ".record"): Promise<HTMLElement> {
  view = createTrajectoryView({ api, onPoll: () => {} }, digest);
  document.body.append(view.element);
  const { element } = view;
  await vi.waitFor(() => {
    if (!element.querySelector(ready)) throw new Error(`${ready} is not there yet`);
  });
  return element;
}

const heats = (element: HTMLElement) =>
  [...element.querySelectorAll<HTMLElement>(".tokens .token")].map((token) =>
    Number(token.style.getPropertyValue("--heat")),
  );

test("tokens are colored by the chosen measure", async () => {
  const element = await openView();
  expect(heats(element)).toEqual([0, 0.5, 1]);
  const raw = [...element.querySelectorAll("label")].find((one) =>
    one.textContent?.startsWith("Raw"),
  );
  raw?.click();
  expect(heats(element)).toEqual([0.5, 0, 0]);
});

test("arrow keys move between tokens, and each is explained", async () => {
  const element = await openView();
  const tokens = [...element.querySelectorAll<HTMLElement>(".tokens .token")];
  expect(tokens.map((token) => token.tabIndex)).toEqual([0, -1, -1]);
  tokens[0]?.focus();
  document.activeElement?.dispatchEvent(
    new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true, cancelable: true }),
  );
  expect(document.activeElement).toBe(tokens[1]);
  const tooltip = element.querySelector<HTMLElement>("[role=tooltip]");
  expect(tooltip?.hidden).toBe(false);
  expect(tooltip?.textContent).toContain("10.00\u00a0%");
  expect(tooltip?.textContent).toContain("#8");
});

test("untrusted text is never markup", async () => {
  const element = await openView();
  expect(element.querySelector("img")).toBeNull();
  expect(element.textContent).toContain(HOSTILE);
});

test("a failed call, the group and the advantage are shown", async () => {
  const element = await openView();
  expect(element.querySelector(".calls .bad")?.textContent).toContain(
    "TOOL_FAILED: no such product",
  );
  const group = [...element.querySelectorAll(".group a")].map((link) => link.textContent);
  expect(group).toEqual(["1+0.25", "0−0.25"]);
});

test("the results that differ in page and environment are shown as text", async () => {
  const element = await openView(DISAGREEING);
  expect(element.textContent).toContain(
    `At turn 1, find({}) gives ${HOSTILE} in the page and 3 in the environment.`,
  );
  expect(element.textContent).toContain("Run “waggle check”");
  expect(element.querySelector("img")).toBeNull();
});

test("an unknown trajectory is an error that can be retried", async () => {
  const element = await openView("d".repeat(64), "[role=alert]");
  expect(element.querySelector("button")?.textContent).toBe("Try again");
});
