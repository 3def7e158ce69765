import { createConsentStore, createMemoryStorage } from "@waggle/collector";
import { expect, test } from "vitest";
import { Collecting } from "./collecting.ts";
import type { Collected, CollectingParts } from "./open-collecting.ts";

/** Collecting whose code cannot be loaded while `isOffline`, with the calls that reach the outbox and the uploader. */
function page() {
  const calls: string[] = [];
  const called = (name: string) => () => {
    calls.push(name);
    return Promise.resolve();
  };
  const opened = {
    outbox: { discardWaiting: called("discard") },
    uploader: { start: called("start") },
    simulation: { stop: called("stop") },
    close: called("close"),
  } as unknown as Collected;
  const storage = createMemoryStorage();
  const consent = createConsentStore({ storage, currentVersion: "1" });
  const state = { isOffline: false };
  const collecting = new Collecting("outbox", { storage, consent } as CollectingParts, () =>
    state.isOffline
      ? Promise.reject(new TypeError("Failed to fetch dynamically imported module"))
      : Promise.resolve({ openCollecting: () => Promise.resolve(opened) }),
  );
  return { calls, state, collecting, storage, consent };
}

test("nothing is loaded without consent, unless the edge has not confirmed a withdrawal", async () => {
  const { calls, collecting, storage } = page();
  collecting.openIfDue();
  await new Promise((resolve) => setTimeout(resolve));
  expect(calls).toEqual([]);
  storage.setItem("waggle.withdrawals", "[]");
  collecting.openIfDue();
  await expect.poll(() => calls).toEqual(["start"]);
});

test("a withdrawal in a page that was closed before it loaded the code is sent by the next page", async () => {
  const { calls, collecting, consent, storage } = page();
  storage.setItem("waggle.receipts", "[]");
  consent.withdraw();
  collecting.openIfDue();
  await expect.poll(() => calls).toEqual(["start"]);
});

test("the outbox opens after the visitor agreed; a withdrawal stops practice and empties it", async () => {
  const { calls, collecting, consent } = page();
  consent.grant();
  collecting.followConsent();
  await expect.poll(() => calls).toEqual(["start"]);
  consent.withdraw();
  collecting.followConsent();
  await expect.poll(() => calls).toEqual(["start", "stop", "discard"]);
});

test("what was not sent is removed at once", async () => {
  const { calls, collecting } = page();
  await collecting.open();
  await collecting.discardWaiting();
  expect(calls).toEqual(["start", "discard"]);
});

test("a page that was offline at the withdrawal removes it before its uploader starts", async () => {
  const { calls, state, collecting } = page();
  state.isOffline = true;
  await expect(collecting.discardWaiting()).rejects.toThrow("Failed to fetch");
  expect(calls).toEqual([]);
  state.isOffline = false;
  await collecting.open();
  expect(calls).toEqual(["discard", "start"]);
});

test("after a failure the next call opens the outbox, once", async () => {
  const { calls, state, collecting } = page();
  state.isOffline = true;
  await expect(collecting.open()).rejects.toThrow("Failed to fetch");
  state.isOffline = false;
  const [first, second] = await Promise.all([collecting.open(), collecting.open()]);
  expect(first).toBe(second);
  expect(calls).toEqual(["start"]);
});

test("a page that was closed while its outbox opened sends nothing", async () => {
  const { calls, collecting } = page();
  const opening = collecting.open();
  collecting.close();
  await opening;
  expect(calls).toEqual(["close"]);
});
