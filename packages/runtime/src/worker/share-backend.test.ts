import { WaggleError } from "@waggle/protocol";
import { expect, test } from "vitest";
import type { DecoderBackend } from "../backend/decoder-backend.ts";
import { HashBackend } from "../session/hash-backend.fixture.ts";
import { openHashPolicy } from "../session/hash-policy.fixture.ts";
import type { WorkerBackendOptions } from "./checked-device.ts";
import { shareBackend } from "./share-backend.ts";

const options = { baseModel: "a", dtype: "f32" } as WorkerBackendOptions;

function open(change: (backend: HashBackend) => void = () => undefined) {
  const opened: HashBackend[] = [];
  const device = shareBackend({
    kind: "webgpu",
    openBackend: () => {
      const backend = new HashBackend({ vocabularySize: 41 });
      change(backend);
      opened.push(backend);
      return Promise.resolve(backend);
    },
  });
  return { device, opened };
}

test("policies of one model share a backend, and their runs never overlap", async () => {
  let running = 0;
  let most = 0;
  const { device, opened } = open((backend) => {
    const openSession = backend.open.bind(backend);
    backend.open = async (adapter, scale) => {
      const session = await openSession(adapter, scale);
      const run = session.run.bind(session);
      session.run = async (rows) => {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setImmediate(resolve));
        running--;
        return run(rows);
      };
      return session;
    };
  });
  const share = async () => {
    const { policy } = await openHashPolicy({}, { openBackend: () => device.openBackend(options) });
    const session = await policy.createContext();
    session.append([1, 2, 3]);
    const sampling = { temperature: 1, topK: 0, topP: 1, seed: 3 };
    const { tokenIds } = await session.generate({ sampling, stopTokenIds: [], maxTokens: 20 });
    return { policy, tokenIds };
  };
  const [first, second] = await Promise.all([share(), share()]);
  expect(opened).toHaveLength(1);
  expect(most).toBe(1);
  expect(first.tokenIds).toEqual(second.tokenIds);
  await first.policy.dispose();
  await second.policy.dispose();
  await device.openBackend(options);
  expect(opened).toHaveLength(2); // the last user freed the first one
  await device.openBackend({ ...options, baseModel: "b" });
  expect(opened).toHaveLength(3);
});

test("a backend whose device is lost is not reused", async () => {
  let isLost = true;
  const { device, opened } = open((backend) => {
    const openSession = backend.open.bind(backend);
    backend.open = (...args) =>
      isLost ? Promise.reject(new WaggleError("DEVICE_LOST", "gone")) : openSession(...args);
  });
  const share: DecoderBackend = await device.openBackend(options);
  await expect(share.open(null)).rejects.toMatchObject({ code: "DEVICE_LOST" });
  isLost = false;
  await (await device.openBackend(options)).open(null);
  expect(opened).toHaveLength(2);
});
