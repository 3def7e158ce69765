/** A page whose GPU device is lost in the middle of a turn. */
import { FULL_SUPPORT, WAGGLE_VERSION } from "@waggle/protocol";
import { expect, test, vi } from "vitest";
import { createBrowserPolicy } from "../browser-policy.ts";
import { writeCheck } from "../device-checks.ts";
import {
  TINY_BASE_MODEL,
  TINY_CONFIG,
  tinyModelFiles,
  tinyPrompt,
} from "../tiny-decoder.fixture.ts";

test("a device lost during steps of branches is replaced, with the same continuations", async () => {
  // The check is stored as passed; it has tests of its own.
  const { heads, keyValueHeads, headSize, modelType } = TINY_CONFIG;
  const shape = `${modelType} ${heads}/${keyValueHeads}x${headSize}`;
  const key = `${WAGGLE_VERSION} webgpu google/swiftshader ${shape} f32`;
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
  /** Three branches of one prompt. During their steps, one is aborted and the device is lost. */
  const generate = async (isDisturbed: boolean) => {
    const session = await policy.createContext();
    session.append(tinyPrompt(140));
    const members = await session.group(3);
    const abort = new AbortController();
    const seen = [0, 0, 0];
    const samples = await Promise.all(
      members.map((member, index) =>
        member.generate({
          sampling: { ...FULL_SUPPORT, seed: 5 + index },
          stopTokenIds: [],
          maxTokens: 16,
          ...(index === 2 && { signal: abort.signal }),
          onToken: () => {
            const count = ++seen[index]!;
            if (!isDisturbed) return;
            if (index === 2 && count === 3) abort.abort();
            if (index === 0 && count === 6) channel.postMessage("now");
          },
        }),
      ),
    );
    expect(seen.slice(0, 2)).toEqual([16, 16]);
    for (const each of [session, ...members]) each.dispose();
    return samples;
  };
  const expected = await generate(false);
  expect(opened).toBe(1);
  const recovered = await generate(true);
  await vi.waitFor(() => expect(opened).toBe(2));
  for (const [index, { tokenIds, behaviorLogProbs, stopReason }] of recovered.entries()) {
    const { length } = tokenIds;
    expect(stopReason).toBe(index === 2 ? "aborted" : expected[index]?.stopReason);
    expect(length).toBeGreaterThanOrEqual(index === 2 ? 3 : 16);
    expect(tokenIds).toEqual(expected[index]?.tokenIds.slice(0, length));
    for (const [at, value] of behaviorLogProbs.entries()) {
      expect(value).toBeCloseTo(expected[index]?.behaviorLogProbs[at] as number, 4);
    }
  }
  channel.close();
  await policy.dispose();
  // Two devices compile their shaders in software, which takes a minute of a quiet machine.
}, 300_000);
