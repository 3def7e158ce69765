/** Failures between an engine and its server. No call may be applied twice because of one. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TinkerFault } from "@waggle/testing/tinker-server";
import { expect, onTestFinished, test } from "vitest";
import { skipOutside } from "../../../../test/fixtures/long.ts";
import { codeOf, randomDerivatives } from "../contract/train-engine.fixture.ts";
import {
  connect,
  localEngine,
  MODEL,
  SEQUENCES,
  serverOf,
  train,
} from "./remote-engine.fixture.ts";

const LOST: TinkerFault[] = [
  { kind: "drop-before" },
  { kind: "drop-after" },
  { kind: "lose-answer", status: 502 },
  { kind: "refuse", status: 500 },
];
const REFUSED: TinkerFault[] = [
  { kind: "refuse", status: 503 },
  { kind: "refuse", status: 429, retryAfter: "0.01" },
];

test("SkyRL: calls whose response was lost are repeated and applied once", async () => {
  const { server, folder } = await serverOf(MODEL, { flavor: "skyrl" });
  const remote = await connect({ server, folder }, MODEL, { attempts: 8 });
  const local = await localEngine();
  const from = server.requests.length;
  for (const call of ["forward_backward", "optim_step"]) {
    for (const fault of [...LOST, ...REFUSED]) server.faults.add(call, fault);
  }
  expect(await train(remote, [1, 2, 3])).toEqual(await train(local, [1, 2, 3]));
  expect(await remote.parameters()).toEqual(await local.parameters());
  const calls = server.requests.slice(from).filter(({ call }) => call === "optim_step");
  expect(calls.length).toBe(3 + 6);
  const seen = calls.map(({ json }) => (json as { seq_id?: number } | null)?.seq_id);
  expect(new Set(seen.filter((seq) => seq !== undefined)).size).toBe(3);
});

test("open-rl: a refused call is retried and applied once", async () => {
  const { server, folder } = await serverOf(MODEL, { flavor: "open-rl" });
  const remote = await connect({ server, folder }, MODEL);
  const local = await localEngine();
  for (const fault of REFUSED) {
    server.faults.add("forward_backward", fault);
    server.faults.add("optim_step", fault);
  }
  expect(await train(remote, [1, 2])).toEqual(await train(local, [1, 2]));
  expect(await remote.parameters()).toEqual(await local.parameters());
});

test.for(["forward_backward", "optim_step"])(
  "open-rl: after a lost response to %s calls are refused until a checkpoint is loaded, which resumes exactly",
  async (call, context) => {
    skipOutside(call === "optim_step", context);
    for (const fault of LOST) {
      const { server, folder } = await serverOf(MODEL, { flavor: "open-rl" });
      const remote = await connect({ server, folder }, MODEL);
      const local = await localEngine();
      await train(remote, [1]);
      const checkpoint = await remote.save();
      server.faults.add(call, fault);
      const sent = server.requests.length;
      await expect(train(remote, [2])).rejects.toMatchObject({ code: "NETWORK", retryable: false });
      const calls = server.requests.slice(sent).filter((request) => request.call === call);
      expect(calls.length).toBe(1);
      const sequences = SEQUENCES;
      const logProb = randomDerivatives(sequences, 2);
      expect(await codeOf(remote.backward({ sequences }, { logProb }))).toBe("DEVICE_LOST");
      expect(await codeOf(remote.save())).toBe("DEVICE_LOST");
      expect(await codeOf(remote.parameters())).toBe("DEVICE_LOST");
      await remote.load(checkpoint);
      await train(remote, [2, 3]);
      await train(local, [1, 2, 3]);
      expect(await remote.parameters()).toEqual(await local.parameters());
    }
  },
);

test("open-rl: outputs come from a backward pass with zero weights, which may be repeated", async () => {
  const { server, folder } = await serverOf(MODEL, { flavor: "open-rl" });
  const remote = await connect({ server, folder }, MODEL);
  const local = await localEngine();
  server.faults.add("forward_backward", { kind: "drop-after" });
  const { logProb } = await remote.forward({ sequences: SEQUENCES });
  expect(logProb).toEqual((await local.forward({ sequences: SEQUENCES })).logProb);
  expect(await train(remote, [1])).toEqual(await train(local, [1]));
});

test.for([
  ["skyrl", false],
  ["skyrl", true],
  ["open-rl", true],
] as const)(
  "%s restarted (records forgotten: %s): the model is lost, and training resumes from a checkpoint",
  async ([flavor, forgets], context) => {
    skipOutside((flavor === "open-rl") === forgets, context);
    const { server, folder } = await serverOf(MODEL, { flavor });
    const remote = await connect({ server, folder }, MODEL);
    const local = await localEngine();
    await train(remote, [1, 2]);
    const checkpoint = await remote.save();
    await server.restart(forgets);
    const lost = { code: "DEVICE_LOST", retryable: true };
    await expect(remote.forward({ sequences: SEQUENCES })).rejects.toMatchObject(lost);
    await expect(train(remote, [3])).rejects.toMatchObject(lost);
    await remote.load(checkpoint);
    await train(remote, [3]);
    await train(local, [1, 2, 3]);
    expect(await remote.parameters()).toEqual(await local.parameters());
  },
);

test.for(["skyrl", "open-rl"] as const)(
  "%s: the client waits for a slow result",
  async (flavor, context) => {
    skipOutside(flavor === "open-rl", context);
    const { server, folder } = await serverOf(MODEL, { flavor });
    const remote = await connect({ server, folder }, MODEL);
    const local = await localEngine();
    server.faults.add("retrieve_future", { kind: "pending" }, 3);
    server.faults.add("retrieve_future", { kind: "drop-before" });
    server.faults.add("retrieve_future", { kind: "refuse", status: 502 });
    expect(await train(remote, [1])).toEqual(await train(local, [1]));
  },
);

test("waiting for a result ends with an error that names the time limit", async () => {
  const { server, folder } = await serverOf(MODEL, { flavor: "open-rl" });
  const remote = await connect({ server, folder }, MODEL, { resultTimeoutMs: 250 });
  server.faults.add("retrieve_future", { kind: "pending" }, 1000);
  await expect(remote.forward({ sequences: SEQUENCES })).rejects.toMatchObject({
    code: "TIMEOUT",
    message: expect.stringContaining("0.25 s") as string,
  });
});

test("after a lost response to save_weights, weights are saved again under a new name", async () => {
  const { server, folder } = await serverOf(MODEL, { flavor: "skyrl" });
  const remote = await connect({ server, folder }, MODEL);
  await train(remote, [1]);
  for (const fault of LOST.slice(0, 2)) server.faults.add("save_weights", fault);
  const { location } = await remote.save();
  expect(server.savedWeights.has(location ?? "")).toBe(true);
});

test("after a non-finite gradient SkyRL skips the step, and open-rl needs a checkpoint", async () => {
  const sequences = SEQUENCES;
  const logProb = sequences.map(({ tokenIds }) => new Float32Array(tokenIds.length).fill(3e38));
  for (const flavor of ["skyrl", "open-rl"] as const) {
    const remote = await connect(await serverOf(MODEL, { flavor }), MODEL);
    const step = { learningRate: 0.01, maxGradientNorm: 1 };
    await remote.backward({ sequences }, { logProb });
    expect(await codeOf(remote.optimStep(step))).toBe("NON_FINITE_VALUE");
    const next = remote.backward({ sequences }, {}).then(() => "served");
    expect(await codeOf(next)).toBe(flavor === "skyrl" ? "served" : "DEVICE_LOST");
  }
});

test("no server, a foreign server and a URL with a password have different error codes", async () => {
  const other = createServer((_, response) => response.writeHead(404).end("<html>"));
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  const { server, folder } = await serverOf(MODEL, { flavor: "skyrl" });
  const at = (url: string): Promise<unknown> =>
    codeOf(connect({ server: { ...server, url }, folder }, MODEL, { attempts: 2 }));
  expect(await at(`http://127.0.0.1:${port}`)).toBe("DEVICE_UNAVAILABLE");
  expect(await at("http://127.0.0.1:1")).toBe("NETWORK");
  expect(await at("http://user:secret@127.0.0.1:1")).toBe("INVALID_ARGUMENT");
  expect(await at("ftp://127.0.0.1")).toBe("INVALID_ARGUMENT");
});

test("a server with a key refuses calls with a wrong one, and no message contains the key", async () => {
  const { server, folder } = await serverOf(MODEL, { flavor: "skyrl", apiKey: "tml-right" });
  const refused = connect({ server, folder }, MODEL, { apiKey: "tml-wrong" });
  await expect(refused).rejects.toMatchObject({
    code: "UNAUTHENTICATED",
    message: expect.not.stringContaining("tml-") as string,
  });
  await connect({ server, folder }, MODEL, { apiKey: "tml-right" });
});
