import { FULL_SUPPORT, WAGGLE_VERSION } from "@waggle/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cdp } from "vitest/browser";
import { isLong } from "../../../../test/fixtures/long.ts";
import { createBrowserPolicy } from "../browser-policy.ts";
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
/** The package's script, and one with a backend that takes no time. */
let real: ServiceWorkerRegistration;
let hashing: ServiceWorkerRegistration;

beforeAll(async () => {
  // Checks are stored as passed: they have tests of their own and take half a minute on a software
  // GPU.
  const { heads, keyValueHeads, headSize, modelType } = TINY_CONFIG;
  const shape = `${modelType} ${heads}/${keyValueHeads}x${headSize}`;
  const key = `${WAGGLE_VERSION} webgpu google/swiftshader ${shape} f32`;
  writeCheck({ key, result: { verdict: "ok" } });
  const base = new URL("./service.ts", import.meta.url).pathname.replace(/[^/]*$/, "");
  const at = (name: string) => ({ type: "module" as const, scope: `${base}${name}/` });
  real = await navigator.serviceWorker.register(new URL("./service.ts", import.meta.url), at("a"));
  const fixture = new URL("./service.fixture.ts", import.meta.url);
  hashing = await navigator.serviceWorker.register(fixture, at("b"));
});
afterAll(() => Promise.all([real.unregister(), hashing.unregister()]));

const open = (registration: ServiceWorkerRegistration) =>
  createBrowserPolicy({
    modelFiles: tinyModelFiles(),
    baseModel: TINY_BASE_MODEL,
    device: "webgpu",
    createWorker: serviceWorkerHost(registration),
  });
const options = {
  sampling: { ...FULL_SUPPORT, seed: 5 },
  stopTokenIds: [],
  maxTokens: 40,
};

// Compiling its shaders takes most of a minute. The tests below have the script without a model.
test.runIf(isLong())("sampling on WebGPU in a service worker equals score", async () => {
  const policy = await open(real);
  const session = await policy.createContext();
  session.append(tinyPrompt(12));
  const sample = await session.generate({ ...options, maxTokens: 4 });
  const { tokenIds } = session;
  const scores = await policy.score({ tokenIds, sampling: FULL_SUPPORT });
  for (const [index, value] of sample.behaviorLogProbs.entries()) {
    expect(value).toBeCloseTo(scores.behaviorLogProbs[12 + index] as number, 4);
  }
  await policy.dispose();
});

test("pages are served side by side, each with its own sessions and versions", async () => {
  const [first, second] = await Promise.all([open(hashing), open(hashing)]);
  const sampleOf = async (policy: typeof first) => {
    const session = await policy.createContext();
    session.append(tinyPrompt(20));
    return (await session.generate(options)).tokenIds;
  };
  const [one, two] = await Promise.all([sampleOf(first), sampleOf(second)]);
  expect(one).toEqual(two);
  await second.setAdapter(1, tinyAdapter(1));
  expect(await sampleOf(second)).not.toEqual(one);
  expect([first.currentVersion, second.currentVersion]).toEqual([0, 1]);
  // A page that leaves does not affect the other.
  await second.dispose();
  expect(await sampleOf(first)).toEqual(one);
  await first.dispose();
});

test("a service worker ended by the browser is restarted, with the same continuation", async () => {
  const policy = await open(hashing);
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
  // Also ended while idle.
  await protocol.send("ServiceWorker.stopAllWorkers");
  session.append([3]);
  expect((await session.generate({ ...options, maxTokens: 4 })).tokenIds).toHaveLength(4);
  await policy.dispose();
});
