/** The device that a page ends up with, against workers that only report a check's result. */
import { afterEach, expect, test, vi } from "vitest";
import type { SelfCheckResult } from "./agreement/self-check.ts";
import { createBrowserPolicy } from "./browser-policy.ts";
import type { WorkerHandle } from "./worker-client.ts";
import type { BrowserDevice, OpenRequest, RequestEnvelope } from "./worker/messages.ts";

const REFUSED: SelfCheckResult = { verdict: "refused", why: "off by 0.8 nats at prefill 32" };

/** A worker whose check of the device has this result. */
function checkedWorker(result: SelfCheckResult, seen: OpenRequest[]): WorkerHandle {
  const target = new EventTarget();
  const answer = ({ id, request }: RequestEnvelope) => {
    if (request.kind === "open") seen.push(request);
    const limits = result.verdict === "refused" ? null : { contextLength: 8, vocabularySize: 9 };
    const value = request.kind === "open" ? { check: { key: "this", result }, limits } : undefined;
    const data = { kind: "answer", id, value };
    queueMicrotask(() => target.dispatchEvent(new MessageEvent("message", { data })));
  };
  return {
    addEventListener: target.addEventListener.bind(target),
    terminate: () => undefined,
    postMessage: (message: unknown) => answer(message as RequestEnvelope),
  };
}

function open(
  device: "auto" | BrowserDevice,
  results: { [device in BrowserDevice]: SelfCheckResult },
) {
  vi.stubGlobal("navigator", {
    gpu: { requestAdapter: async () => ({ info: { vendor: "acme", architecture: "one" } }) },
  });
  const stored = new Map<string, string>();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
  });
  const seen: OpenRequest[] = [];
  const create = () =>
    createBrowserPolicy({
      modelFiles: new Map(),
      baseModel: "0".repeat(64),
      device,
      createWorker: (kind) => checkedWorker(results[kind], seen),
    });
  return { create, seen };
}

afterEach(() => vi.unstubAllGlobals());

test("a GPU that computes correctly is used, and its check is not repeated", async () => {
  const { create, seen } = open("auto", { webgpu: { verdict: "ok" }, wasm: REFUSED });
  expect((await create()).client).toMatchObject({ backend: "webgpu", device: "acme/one" });
  await create();
  expect(seen.map(({ knownChecks }) => knownChecks)).toEqual([{}, { this: { verdict: "ok" } }]);
});

test("a GPU that computes wrongly is refused, and auto uses WASM", async () => {
  const { create } = open("auto", { webgpu: REFUSED, wasm: { verdict: "ok" } });
  expect((await create()).client).toMatchObject({ backend: "wasm", device: "wasm x1" });
});

test.each(["webgpu", "wasm", "auto"] as const)(
  "if no device is correct, %s is refused with the reason",
  async (device) => {
    const { create } = open(device, { webgpu: REFUSED, wasm: REFUSED });
    await expect(create()).rejects.toMatchObject({
      code: "DEVICE_UNAVAILABLE",
      message: expect.stringContaining("off by 0.8 nats"),
    });
  },
);
