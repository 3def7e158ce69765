import { FULL_SUPPORT } from "@waggle/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cdp } from "vitest/browser";
import { createBrowserPolicy } from "../browser-policy.ts";
import { RUNTIME_BUILD } from "../build.ts";
import { writeCheck } from "../device-checks.ts";
import { serviceWorkerHost } from "../service-worker-host.ts";
import {
  TINY_BASE_MODEL,
  TINY_CONFIG,
  tinyAdapter,
  tinyModelFiles,
  tinyPrompt,
} from "../tiny-decoder.fixture.ts";

type Protocol = { send(method: string): Promise<unknown> };
let registration: ServiceWorkerRegistration;

beforeAll(async () => {
  // What checks find has tests of its own, and takes a software GPU half a minute.
  const { heads, keyValueHeads, headSize, modelType } = TINY_CONFIG;
  const shape = `${modelType} ${heads}/${keyValueHeads}x${headSize}`;
  const key = `${RUNTIME_BUILD} webgpu google/swiftshader ${shape} f32`;
  writeCheck({ key, result: { verdict: "ok" } });
  const script = new URL("./service.ts", import.meta.url);
  registration = await navigator.serviceWorker.register(script, { type: "module" });
});
afterAll(() => registration.unregister());

const open = (isHosted: boolean) =>
  createBrowserPolicy({
    modelFiles: tinyModelFiles(),
    baseModel: TINY_BASE_MODEL,
    device: "webgpu",
    ...(isHosted && { createWorker: serviceWorkerHost(registration) }),
  });
const options = {
  sampling: { ...FULL_SUPPORT, seed: 5 },
  stopTokenIds: [],
  maxTokens: 40,
};

test("pages are served side by side, each with its own versions, as a worker would serve them", async () => {
  const policies = await Promise.all([open(false), open(true), open(true)]);
  const [own, first, second] = policies;
  await second.setAdapter(1, tinyAdapter(1));
  const samples = await Promise.all(
    policies.map(async (policy) => {
      const session = await policy.createContext();
      session.append(tinyPrompt(20));
      return session.generate(options);
    }),
  );
  expect(samples[1]?.tokenIds).toEqual(samples[0]?.tokenIds);
  expect(samples[2]?.tokenIds).not.toEqual(samples[0]?.tokenIds);
  expect([own.currentVersion, first.currentVersion, second.currentVersion]).toEqual([0, 0, 1]);
  // One page that leaves takes nothing from the other.
  await second.dispose();
  const session = await first.createContext();
  session.append(tinyPrompt(20));
  expect((await session.generate(options)).tokenIds).toEqual(samples[0]?.tokenIds);
  await Promise.all([own.dispose(), first.dispose()]);
});

test("a service worker that the browser ends in the middle is started again, same continuation", async () => {
  const policy = await open(true);
  const undisturbed = await policy.createContext();
  undisturbed.append(tinyPrompt(12));
  const expected = await undisturbed.generate(options);
  const session = await policy.createContext();
  session.append(tinyPrompt(12));
  const protocol = cdp() as unknown as Protocol;
  await protocol.send("ServiceWorker.enable");
  const seen: number[] = [];
  const stopped: Promise<unknown>[] = [];
  const sample = await session.generate({
    ...options,
    onToken: (tokenId) => {
      if (seen.push(tokenId) === 10) {
        stopped.push(protocol.send("ServiceWorker.stopAllWorkers"));
      }
    },
  });
  expect(stopped).toHaveLength(1);
  await Promise.all(stopped);
  expect(sample.tokenIds).toEqual(expected.tokenIds);
  expect(seen).toEqual(expected.tokenIds);
  // Stopped while nothing was under way, too.
  await protocol.send("ServiceWorker.stopAllWorkers");
  session.append([3]);
  expect((await session.generate({ ...options, maxTokens: 4 })).tokenIds).toHaveLength(4);
  await policy.dispose();
});
