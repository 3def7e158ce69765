/** A page whose GPU device goes away in the middle of a turn. */
import { FULL_SUPPORT } from "@waggle/protocol";
import { expect, test, vi } from "vitest";
import { createBrowserPolicy } from "../browser-policy.ts";
import { RUNTIME_BUILD } from "../build.ts";
import { writeCheck } from "../device-checks.ts";
import {
  TINY_BASE_MODEL,
  TINY_CONFIG,
  tinyModelFiles,
  tinyPrompt,
} from "../tiny-decoder.fixture.ts";

test("a device that is lost in the middle of a generation is replaced, same continuation", async () => {
  // What checks find has tests of its own.
  const { heads, keyValueHeads, headSize, modelType } = TINY_CONFIG;
  const shape = `${modelType} ${heads}/${keyValueHeads}x${headSize}`;
  const key = `${RUNTIME_BUILD} webgpu google/swiftshader ${shape} f32`;
  writeCheck({ key, result: { verdict: "ok" } });
  const channel = new BroadcastChannel("lose-device");
  let opened = 0;
  channel.addEventListener("message", () => opened++);
  const policy = await createBrowserPolicy({
    modelFiles: tinyModelFiles(),
    baseModel: TINY_BASE_MODEL,
    device: "webgpu",
    createWorker: () =>
      new Worker(new URL("./losing-worker.fixture.ts", import.meta.url), { type: "module" }),
  });
  const generate = async (loses: boolean) => {
    const session = await policy.createContext();
    session.append(tinyPrompt(20));
    let seen = 0;
    const sample = await session.generate({
      sampling: { ...FULL_SUPPORT, seed: 5 },
      stopTokenIds: [],
      maxTokens: 24,
      onToken: () => {
        if (++seen === 6 && loses) channel.postMessage("now");
      },
    });
    expect(seen).toBe(24);
    session.dispose();
    return sample;
  };
  const expected = await generate(false);
  expect(opened).toBe(1);
  const recovered = await generate(true);
  await vi.waitFor(() => expect(opened).toBe(2));
  expect(recovered.tokenIds).toEqual(expected.tokenIds);
  for (const [index, value] of recovered.behaviorLogProbs.entries()) {
    expect(value).toBeCloseTo(expected.behaviorLogProbs[index] as number, 4);
  }
  channel.close();
  await policy.dispose();
});
