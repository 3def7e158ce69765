/** Every text of the panel can be replaced, and the languages replace all of them. */
import { afterEach, expect, test } from "vitest";
import type { AgentStatus, ToolActivity } from "../agent.ts";
import { DEFAULT_AGENT_TEXTS } from "../agent-texts.ts";
import { WAITING_FOR_POLICY } from "../first-policy.ts";
import { FRENCH, GERMAN } from "../languages/index.ts";
import { READY } from "./fake-agent.fixture.ts";
import { answer, open } from "./open-panel.fixture.ts";
import { DEFAULT_TEXTS } from "./panel-texts.ts";
import type { PanelTexts } from "./panel-texts.ts";
import { RECORDED, sentDetail, sentEntry } from "./sent-entry.fixture.ts";

afterEach(() => document.body.replaceChildren());

/** All but the name of their language, which is not shown. */
const KEYS = Object.keys(DEFAULT_TEXTS).filter((key) => key !== "language") as (keyof PanelTexts)[];

/** Texts that only name themselves, and the texts that they contain. */
const MARKED = Object.fromEntries(
  KEYS.map((key) => {
    const mark = `⟦${key}⟧`;
    const write = (...args: readonly unknown[]): string =>
      mark + args.filter((arg) => typeof arg === "string" && arg.includes("⟦")).join("");
    return [key, typeof DEFAULT_TEXTS[key] === "string" ? mark : write];
  }),
) as unknown as PanelTexts;

/** Marks and data of the tests. What is left comes from the panel's code. */
const KNOWN =
  /⟦\w+⟧|⟨\w+⟩|\[EMAIL_1\]|(?:a mug for|query|mug|max price|in stock|Searching the shop|name|Red mug|tags|red|blue|note|used|sold out|Adding to the cart|The red mug is|Practice|\d [AP]M)\b/g;

test("the panel shows no text that cannot be replaced", async () => {
  const { agent, root, control, settled } = await open(["launcher"]);
  (root.host as HTMLElementTagNameMap["waggle-agent"]).texts = MARKED;
  const texts = { unreadable: "⟨unreadable⟩", silenced: "⟨silenced⟩", failed: () => "⟨failed⟩" };
  Object.assign(agent, { texts, policyVersion: 0 });
  const shown = new Set<string>();
  const note = async (): Promise<void> => {
    await settled();
    for (const element of root.querySelectorAll("*")) {
      for (const name of ["aria-label", "title", "placeholder"]) {
        shown.add(element.getAttribute(name) ?? "");
      }
      for (const node of element.childNodes) {
        if (node.nodeType === Node.TEXT_NODE) shown.add(node.textContent ?? "");
      }
    }
  };
  const press = async (key: keyof PanelTexts): Promise<void> => {
    const button = control(`⟦${key}⟧`);
    if (button === null) throw new Error(`there is no button "${key}"`);
    button.click();
    await note();
  };

  await note();
  // A short text is not folded.
  const folded = { ...MARKED, consentBody: MARKED.consentBody.repeat(40) };
  (root.host as HTMLElementTagNameMap["waggle-agent"]).texts = folded;
  await press("open");
  const failure = { code: "NETWORK", message: "no route", retryable: true };
  const states: readonly Partial<AgentStatus>[] = [
    { phase: "loading", totalBytes: null },
    { phase: "loading", loadedBytes: 1, totalBytes: 5_000_000 },
    { phase: "loading", totalBytes: null, detail: WAITING_FOR_POLICY },
    { phase: "error", error: failure },
    { silenced: true },
    { online: false },
    { policyFailure: { version: 2, code: "NETWORK", message: "no route" } },
    {},
  ];
  for (const state of states) {
    agent.setStatus({ ...READY, ...state });
    await note();
  }
  agent.setStatus({ phase: "loading" });
  const field = root.querySelector("textarea") as HTMLTextAreaElement;
  field.value = "1";
  field.form?.requestSubmit();
  await note();
  field.value = "";
  agent.setStatus(READY);
  Object.assign(agent, { policyVersion: 1 });
  const activity: ToolActivity = {
    id: "c0",
    name: "search",
    label: "Searching the shop",
    source: "edge",
    arguments: { query: "mug" },
    result: null,
  };
  const results: readonly ToolActivity["result"][] = [
    null,
    { callId: "c0", ok: true, value: 1 },
    { callId: "c0", ok: false, error: { code: "TOOL_FAILED", message: "no" } },
  ];
  for (const result of results) {
    const parts = [{ kind: "tool", activity: { ...activity, result } } as const];
    const running = result === null;
    agent.setConversation([
      { kind: "request", id: "r1", text: "mug" },
      answer({ parts, running, stopReason: running ? null : "completed" }),
    ]);
    await note();
  }
  const reasons = ["aborted", "max-tokens", "tool-error", "timeout", "guard-stopped"] as const;
  for (const stopReason of reasons) {
    agent.setConversation([answer({ stopReason })]);
    await note();
  }
  agent.setConversation([answer({ stopReason: "guard-stopped", policyVersion: 0 })]);
  await note();
  await press("goodAnswer");
  await note();
  agent.setConfirmation({ id: "q1", toolName: "pay", question: "mug", answer: () => undefined });
  await note();
  agent.setConfirmation(null);

  Object.assign(agent.consent, { hasChoices: true });
  await press("whatISent");
  await note();
  await press("consentAccept");
  await note();
  const consent = agent.consent.get();
  if (consent === null) throw new Error("the visitor has not agreed");
  const recordedAt = "2026-11-20T12:00:00.000Z";
  const visitorId = "00000000-0000-4000-8000-000000000001";
  const receipt = { site: "default", visitorId, consent, recordedAt, signature: "A".repeat(43) };
  agent.setReceipts([receipt]);
  await note();
  const entry = sentEntry();
  const reason = { code: "SCHEMA_INVALID", message: "no" };
  agent.setSent([
    entry,
    { ...entry, digest: "b", state: "waiting", settledAt: null },
    { ...entry, digest: "c", state: "rejected", reason },
  ]);
  const task = JSON.stringify([{ kind: "task", text: "Practice" }, ...RECORDED]);
  const details = new Map([
    ["a", sentDetail(task)],
    ["b", sentDetail()],
  ]);
  Object.assign(agent, {
    sentDetail: (digest: string) => Promise.resolve(details.get(digest) ?? null),
  });
  for (const storage of ["full", "unavailable"] as const) {
    const summary = { ...(await agent.outbox()), storage };
    Object.assign(agent, { outbox: () => Promise.resolve(summary) });
    agent.setSent(await agent.sent());
    await note();
  }
  for (const summary of root.querySelectorAll<HTMLElement>(".entry > summary")) summary.click();
  await expect.poll(() => root.querySelectorAll(".entry .note").length).toBe(4);
  Object.assign(agent, { sentDetail: () => Promise.reject(new Error("no database")) });
  agent.setSent([...(await agent.sent()), sentEntry({ digest: "d" })]);
  await settled();
  root.querySelectorAll<HTMLElement>(".entry > summary")[3]?.click();
  await expect.poll(() => root.querySelectorAll(".entry .note").length).toBe(5);
  await note();
  Object.assign(agent, { stored: () => Promise.reject(new Error("offline")) });
  await press("saveStored");
  await note();
  const forgotten = Promise.withResolvers<unknown>();
  Object.assign(agent, { forgetMe: () => forgotten.promise });
  await press("forgetMe");
  await press("deleteEverything");
  forgotten.resolve({ deletedTrajectories: 2, learnedBy: [3] });
  await note();
  Object.assign(agent, { forgetMe: () => Promise.reject(new Error("offline")) });
  await press("forgetMe");
  await press("deleteEverything");
  await note();
  Object.defineProperty(agent.consent, "isWithdrawing", { value: true });
  await press("withdraw");
  await note();
  await press("whatISent");
  agent.setConversation([answer({})]);
  await note();
  agent.consent.grant();
  await press("goodAnswer");
  await note();

  const left = [...shown].filter((text) => /\p{L}/u.test(text.replaceAll(KNOWN, "")));
  expect(left).toEqual([]);
  const all = [...shown].join("");
  expect(KEYS.filter((key) => !all.includes(`⟦${key}⟧`))).toEqual([]);
});

/** Each text, with the texts of a function for two kinds of values. */
function textsOf(texts: PanelTexts): Map<string, readonly string[]> {
  const counts = { sent: 1, waiting: 2, rejected: 3, damaged: 4 };
  const calls: { [key in keyof PanelTexts]?: readonly unknown[] } = {
    size: [12, 4200, 1_400_000].map(texts.size),
    loaded: [texts.loaded("1", "2")],
    agreed: [texts.agreed("now", "2")],
    receipt: [texts.receipt("now")],
    collected: [texts.collected(counts), texts.collected({ ...counts, damaged: 0 })],
    stored: [texts.stored({ trajectories: 1, feedback: 2 })],
    recordedAt: [texts.recordedAt("now")],
    sentAt: [texts.sentAt("now")],
    refused: [
      "SCHEMA_INVALID",
      "CONSENT_MISSING",
      "PAYLOAD_TOO_LARGE",
      "POLICY_VERSION_UNKNOWN",
      "SCHEMA_VERSION_UNSUPPORTED",
      "STORAGE_DAMAGED",
    ].map(texts.refused),
    deleted: [texts.deleted(1, []), texts.deleted(2, [3])],
  };
  return new Map(
    KEYS.map((key) => {
      const text: unknown = texts[key];
      return [key, typeof text === "string" ? [text] : ((calls[key] ?? []) as string[])];
    }),
  );
}

test.each([
  { language: GERMAN, size: "1,4 MB", same: ["size"] },
  { language: FRENCH, size: "1,4 Mo", same: ["title", "conversation"] },
])("$language.code translates every English text", ({ language, size, same }) => {
  const english = textsOf(DEFAULT_TEXTS);
  const own = textsOf(language.panel);
  expect([...own].filter(([, texts]) => texts.length === 0)).toEqual([]);
  const equal = [...own].filter(([key, texts]) =>
    texts.some((text) => english.get(key)?.includes(text)),
  );
  expect(equal.map(([key]) => key)).toEqual(same);
  expect(language.panel.size(1_400_000).replace(/\s/, " ")).toBe(size);
});

test.each([DEFAULT_AGENT_TEXTS, GERMAN.agent, FRENCH.agent])(
  "a failure is a plain sentence in each language",
  ({ failed }) => {
    const codes = ["NETWORK", "BROWSER_UNSUPPORTED", "DEVICE_LOST", "CONTEXT_OVERFLOW", "INTERNAL"];
    const said = codes.map((code) => failed(code, "bad offset 7 in model.safetensors"));
    expect(new Set(said).size).toBe(codes.length);
    expect(said.join()).not.toMatch(/offset|safetensors|[A-Z]{4,}_/);
  },
);

test.each([
  ["English", DEFAULT_TEXTS],
  ["German", GERMAN.panel],
  ["French", FRENCH.panel],
])(
  "on a narrow phone, nothing of the privacy view in %s is wider than the panel",
  async (_, texts) => {
    const { agent, root, control, settled } = await open();
    const host = root.host as HTMLElementTagNameMap["waggle-agent"];
    host.style.width = "300px";
    host.texts = texts;
    agent.consent.grant();
    agent.setSent([sentEntry()]);
    await settled();
    control(texts.whatISent)?.click();
    await expect.poll(() => control(texts.saveStored)).not.toBeNull();
    await settled();
    const view = root.querySelector(".privacy") as HTMLElement;
    const { right } = view.getBoundingClientRect();
    const wider = [...view.querySelectorAll("*")].filter(
      (element) => element.getBoundingClientRect().right > right,
    );
    expect(wider.map((element) => element.textContent)).toEqual([]);
  },
);
