import { expect, test, vi } from "vitest";
import { startEarlyWorker } from "./early-worker.ts";
import type { WorkerHandle } from "./worker-client.ts";
import type { BrowserDevice } from "./worker/messages.ts";

/** Workers by the order in which they were created. */
function fakeWorkers() {
  const created: { device: BrowserDevice; worker: WorkerHandle; fail: () => void }[] = [];
  const createWorker = (device: BrowserDevice): WorkerHandle => {
    const listeners: (() => void)[] = [];
    const worker = {
      postMessage: vi.fn<() => void>(),
      terminate: vi.fn<() => void>(),
      addEventListener: (type: string, listener: () => void) => {
        if (type === "error") listeners.push(listener);
      },
    } as unknown as WorkerHandle;
    created.push({ device, worker, fail: () => listeners.forEach((listener) => listener()) });
    return worker;
  };
  return { created, createWorker };
}

const settled = () => new Promise((resolve) => setTimeout(resolve));

test("a worker is there before the policy asks for it, and is given once", async () => {
  const { created, createWorker } = fakeWorkers();
  const early = startEarlyWorker("wasm", createWorker);
  await settled();
  expect(created.map(({ device }) => device)).toEqual(["wasm"]);
  expect(early.createWorker("wasm")).toBe(created[0]?.worker);
  expect(early.createWorker("wasm")).toBe(created[1]?.worker);
  early.dispose();
  expect(created[0]?.worker.terminate).not.toHaveBeenCalled();
});

test("a policy on another device gets another worker, and the waiting one ends", async () => {
  const { created, createWorker } = fakeWorkers();
  const early = startEarlyWorker("wasm", createWorker);
  await settled();
  expect(early.createWorker("webgpu")).toBe(created[1]?.worker);
  expect(created[0]?.worker.terminate).toHaveBeenCalledOnce();
});

test("a policy that is faster than the choice of a device gets the only worker", async () => {
  const { created, createWorker } = fakeWorkers();
  const early = startEarlyWorker("wasm", createWorker);
  expect(early.createWorker("wasm")).toBe(created[0]?.worker);
  await settled();
  expect(created).toHaveLength(1);
});

test("a worker that failed while it waited is not given, so that the policy reports the failure", async () => {
  const { created, createWorker } = fakeWorkers();
  const early = startEarlyWorker("wasm", createWorker);
  await settled();
  created[0]?.fail();
  expect(early.createWorker("wasm")).toBe(created[1]?.worker);
});

test("the worker that waits learns the model's config, and one that was given does not", async () => {
  const { created, createWorker } = fakeWorkers();
  const config = new TextEncoder().encode("{}");
  const early = startEarlyWorker("wasm", createWorker);
  early.prepare(config);
  await settled();
  const posted = vi.mocked(created[0]?.worker as WorkerHandle).postMessage;
  expect(posted).toHaveBeenCalledExactlyOnceWith({
    id: 0,
    request: expect.objectContaining({
      kind: "prepare",
      config,
      description: "wasm x1",
      threads: 1,
    }),
  });
  early.createWorker("wasm");
  early.prepare(config);
  await settled();
  expect(posted).toHaveBeenCalledOnce();
});

test("a worker that waits for a model that does not load is ended", async () => {
  const { created, createWorker } = fakeWorkers();
  const early = startEarlyWorker("wasm", createWorker);
  await settled();
  early.dispose();
  expect(created[0]?.worker.terminate).toHaveBeenCalledOnce();
});

test("a device that does not exist starts no worker", async () => {
  const { created, createWorker } = fakeWorkers();
  startEarlyWorker("webgpu", createWorker);
  await settled();
  expect(created).toEqual([]);
});
