import type { AuditEntry, ControlState } from "@waggle/protocol";
import { afterEach, expect, test, vi } from "vitest";
import "../styles/page.css";
import "../styles/control.css";
import { createAppShell } from "./app-shell.ts";
import type { OperatorApi } from "./operator-api.ts";

let close = (): void => undefined;
afterEach(() => {
  close();
  location.hash = "";
});

/** The Control page in its frame, with an in-memory edge. */
function openControl() {
  let control: ControlState = {
    environment: "shop",
    frozen: null,
    killed: null,
    signals: [
      { signal: "thumb", stopped: null },
      { signal: "outcome:booked", stopped: null },
    ],
  };
  const entries: AuditEntry[] = [];
  const decide = (action: string, reason: string, frozen: ControlState["frozen"]) => {
    const at = new Date().toISOString();
    entries.unshift({ id: entries.length + 1, at, by: "Ada", action, version: null, reason });
    control = { ...control, frozen };
    return Promise.resolve(control);
  };
  const switchSignal = (name: string, stopped: ControlState["frozen"]) => {
    const { signals = [] } = control;
    control = {
      ...control,
      signals: signals.map((one) => (one.signal === name ? { ...one, stopped } : one)),
    };
    return Promise.resolve(control);
  };
  const api = {
    control: async () => control,
    audit: async () => ({ entries: [...entries] }),
    freeze: (reason: string) =>
      decide("freeze", reason, { by: "Ada", at: new Date().toISOString(), reason }),
    unfreeze: () => decide("unfreeze", "", null),
    stopSignal: (signal: string, reason: string) =>
      switchSignal(signal, { by: "Ada", at: new Date().toISOString(), reason }),
    startSignal: (signal: string) => switchSignal(signal, null),
  } as unknown as OperatorApi;
  const root = document.createElement("div");
  document.body.replaceChildren(root);
  location.hash = "#/control";
  close = createAppShell(root, {
    api,
    edgeUrl: "https://edge",
    site: null,
    onSite: () => undefined,
    onSignOut: () => undefined,
  });
}

const button = (label: string) =>
  [...document.querySelectorAll("button")].find((one) => one.textContent === label);
const banner = () => document.querySelector<HTMLElement>(".control-banner");
const press = (label: string) =>
  vi.waitFor(() => {
    expect(button(label)).toBeDefined();
    button(label)?.click();
  });

const untilAnswered = () => vi.waitFor(() => expect(document.querySelector("dialog")).toBeNull());

test("a freeze needs a confirmation, shows a banner with its reason, and can be lifted", async () => {
  openControl();
  await press("Freeze …");
  await press("Cancel");
  await untilAnswered();
  expect(banner()?.hidden).toBe(true);
  await press("Freeze …");
  const reason = document.querySelector<HTMLInputElement>("dialog [name=reason]");
  if (reason) reason.value = "sale week";
  await press("Freeze");
  // The banner polls every three seconds.
  await vi.waitFor(
    () => expect(banner()?.innerText).toContain("Promotions are frozen by Ada: sale week"),
    8000,
  );
  expect(banner()?.checkVisibility()).toBe(true);
  expect(document.querySelector(".switch.on")?.textContent).toContain("Frozen");
  await press("Lift the freeze …");
  await press("Lift the freeze");
  await vi.waitFor(() => expect(banner()?.hidden).toBe(true), 8000);
  expect(document.querySelector(".switch.on")).toBeNull();
  const log = [...document.querySelectorAll("tbody tr:has(time)")].map(
    ({ textContent }) => textContent,
  );
  expect(log[0]).toContain("Adalifted the freeze");
  expect(log[1]).toMatch(/Adafroze promotions.*sale week/);
}, 20_000);

test("a signal is stopped with a reason and started again", async () => {
  openControl();
  const row = (signal: string) =>
    [...document.querySelectorAll("tbody tr")].find(
      ({ firstElementChild }) => firstElementChild?.textContent === signal,
    );
  const pressIn = (signal: string, label: string) =>
    vi.waitFor(() => {
      const found = row(signal)?.querySelector("button");
      expect(found?.textContent).toBe(label);
      found?.click();
    });
  await pressIn("Thumbs", "Stop …");
  const reason = document.querySelector<HTMLInputElement>("dialog [name=reason]");
  if (reason) reason.value = "paid clicks";
  expect(document.querySelector("dialog")?.textContent).toContain("skipped and stay stored");
  await press("Stop");
  await pressIn("Thumbs", "Start …");
  expect(row("Thumbs")?.textContent).toContain("Ada, 0 s ago: paid clicks");
  expect(row("Outcome booked")?.textContent).not.toContain("Ada");
  await press("Start");
  await pressIn("Thumbs", "Stop …");
  await press("Cancel");
});
