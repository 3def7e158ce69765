/** A swap in the worker leaves the page its frames, unlike the same swap on the page's own thread. */
import {
  decoderConfigJson,
  initializeAdapter,
  initializeDecoder,
  writeSafetensors,
} from "@waggle/model";
import { expect, test } from "vitest";
import { createWasmBackend } from "./backend/cpu/wasm-backend.ts";
import { createBrowserPolicy } from "./browser-policy.ts";
import { createScheduledPolicy } from "./session/scheduled-policy.ts";
import { TINY_CONFIG } from "./tiny-decoder.fixture.ts";

/** Large enough that merging an adapter takes many frames. */
const CONFIG = {
  ...TINY_CONFIG,
  vocabularySize: 2000,
  width: 384,
  layers: 6,
  heads: 6,
  keyValueHeads: 2,
  headSize: 64,
  feedForwardSize: 1024,
};
const weights = initializeDecoder(CONFIG, 1);
const adapter = initializeAdapter(CONFIG, { rank: 16, alpha: 16, seed: 1 });

/** Longest time without a frame during `work`, in milliseconds. */
async function longestGap(work: () => Promise<void>): Promise<number> {
  let longest = 0;
  let last = performance.now();
  let isDone = false;
  const look = (now: number) => {
    longest = Math.max(longest, now - last);
    last = now;
    if (!isDone) requestAnimationFrame(look);
  };
  await new Promise((resolve) => requestAnimationFrame(resolve));
  last = performance.now();
  requestAnimationFrame(look);
  await work();
  await new Promise((resolve) => setTimeout(resolve, 50));
  isDone = true;
  return Math.max(longest, performance.now() - last);
}

test("a swap in the worker drops no frames of the page, and one on its own thread does", async () => {
  const encoder = new TextEncoder();
  const inWorker = await createBrowserPolicy({
    modelFiles: new Map([
      ["config.json", encoder.encode(JSON.stringify(decoderConfigJson(CONFIG)))],
      ["model.safetensors", writeSafetensors(weights, { format: "pt" })],
    ]),
    baseModel: "0".repeat(64),
    device: "wasm",
    threads: 1,
  });
  const onPage = await createScheduledPolicy({
    openBackend: () =>
      createWasmBackend({ config: CONFIG, weights, contextLength: 160, threads: 1 }),
    client: { build: "0", backend: "wasm", device: "page", crossOriginIsolated: true },
    baseModel: "0".repeat(64),
    contextLength: 160,
    vocabularySize: CONFIG.vocabularySize,
  });
  const gaps = { worker: [] as number[], page: [] as number[] };
  for (let version = 1; version <= 3; version++) {
    gaps.worker.push(await longestGap(() => inWorker.setAdapter(version, adapter)));
    gaps.page.push(await longestGap(() => onPage.setAdapter(version, adapter)));
  }
  expect(Math.min(...gaps.page)).toBeGreaterThan(50);
  expect(Math.min(...gaps.worker)).toBeLessThan(Math.min(...gaps.page) / 2);
  await inWorker.dispose();
  await onPage.dispose();
});
