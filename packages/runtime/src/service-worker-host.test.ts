import { afterEach, expect, test, vi } from "vitest";
import { serviceWorkerHost } from "./service-worker-host.ts";

afterEach(() => vi.useRealTimers());

test("a page connects once, sends heartbeats until it leaves, and releases its lock", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const sent: { kind: string; pageLock?: string }[] = [];
  const active = { postMessage: (message: { kind: string }) => sent.push(message) };
  const registration = { active } as unknown as ServiceWorkerRegistration;
  const worker = serviceWorkerHost(registration)();
  await vi.waitFor(() => expect(sent.map(({ kind }) => kind)).toEqual(["waggle-connect"]));
  vi.advanceTimersByTime(25_000);
  expect(sent.map(({ kind }) => kind)).toEqual([
    "waggle-connect",
    "waggle-heartbeat",
    "waggle-heartbeat",
  ]);
  const lock = sent[0]?.pageLock as string;
  const isFree = (): Promise<boolean> =>
    navigator.locks.request(lock, { ifAvailable: true }, (held) => held !== null);
  expect(await isFree()).toBe(false);
  worker.terminate();
  await vi.waitFor(async () => expect(await isFree()).toBe(true));
  vi.advanceTimersByTime(60_000);
  expect(sent).toHaveLength(3);
});
