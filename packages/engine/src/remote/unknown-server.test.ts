/** A server of an unknown kind is used for what it can do. It is refused for what it lacks, not for its name. */
import { initializeAdapter } from "@waggle/model";
import type { TinkerServer } from "@waggle/testing/tinker-server";
import { expect, test } from "vitest";
import { TINY } from "../contract/train-engine.fixture.ts";
import {
  ALPHA,
  connect,
  distances,
  localEngine,
  MODEL,
  SEQUENCES,
  serverOf,
  train,
} from "./remote-engine.fixture.ts";

/** A SkyRL that does not name itself. */
async function namelessSkyrl(): Promise<{
  readonly server: TinkerServer;
  readonly folder: string;
}> {
  const served = await serverOf(MODEL, { flavor: "skyrl" });
  served.server.faults.add("", { kind: "refuse", status: 404 }, 10);
  return served;
}

const SERVERS = {
  "as the Tinker SDK expects it": () => serverOf(MODEL, { flavor: "sdk" }),
  "SkyRL without its name": namelessSkyrl,
};
const NAMES = Object.keys(SERVERS) as (keyof typeof SERVERS)[];

test.for(NAMES)(
  "%s: log-probs, norms and parameters match the local engine's, also after a checkpoint",
  async (name) => {
    const served = await SERVERS[name]();
    const [remote, local] = [await connect(served, MODEL), await localEngine()];
    expect(remote.capabilities().device).toMatch(/^tinker sdk http/);
    const outputs = await remote.forward({ sequences: SEQUENCES });
    expect(outputs.logProb).toEqual((await local.forward({ sequences: SEQUENCES })).logProb);
    expect(await train(remote, [1, 2])).toEqual(await train(local, [1, 2]));
    const checkpoint = await remote.save();
    await train(remote, [9]);
    await remote.load(checkpoint);
    await train(remote, [3]);
    await train(local, [3]);
    expect(remote.capabilities().reads).toEqual(["parameters"]);
    const gaps = distances(await remote.parameters(), await local.parameters());
    expect(Math.max(...gaps)).toBe(0);
  },
);

test("calls whose response was lost are repeated and applied once, if the server knows repeats", async () => {
  const served = await serverOf(MODEL, { flavor: "sdk" });
  const [remote, local] = [await connect(served, MODEL), await localEngine()];
  const { faults } = served.server;
  for (const call of ["forward_backward", "optim_step", "save_weights", "retrieve_future"]) {
    faults.add(call, { kind: "drop-after" });
  }
  await train(remote, [1]);
  await train(local, [1]);
  await remote.load(await remote.save());
  expect(await train(remote, [2])).toEqual(await train(local, [2]));
});

test("after a call that never came, the model is lost until a checkpoint is loaded", async () => {
  const served = await serverOf(MODEL, { flavor: "sdk" });
  const engine = await connect(served, MODEL, { attempts: 2 });
  const checkpoint = await engine.save();
  served.server.faults.add("save_weights", { kind: "drop-before" }, 2);
  await expect(engine.save()).rejects.toMatchObject({ code: "NETWORK" });
  await expect(engine.forward({ sequences: SEQUENCES })).rejects.toMatchObject({
    code: "DEVICE_LOST",
  });
  await engine.load(checkpoint);
  await engine.forward({ sequences: SEQUENCES });
});

test.for([
  [{ weighting: "mean" }, /does not sum over sequences/],
  [{ reportsGradientNorm: false }, /reported no gradient norm/],
  [{ readsJsonPasses: false }, /protobuf only/],
] as const)("a server with %o is refused for that", async ([options, message]) => {
  const served = await serverOf(MODEL, { flavor: "sdk", ...options });
  await expect(connect(served, MODEL)).rejects.toMatchObject({
    code: "CAPABILITY_MISSING",
    message: expect.stringMatching(message) as string,
  });
});

test("another alpha than the server's is refused once its adapter is read", async () => {
  const served = await serverOf(MODEL, { flavor: "sdk" });
  const adapter = initializeAdapter(TINY, { rank: 3, alpha: ALPHA / 2, seed: 1 });
  await expect(connect(served, MODEL, { adapter })).rejects.toMatchObject({
    code: "ADAPTER_INCOMPATIBLE",
  });
});
