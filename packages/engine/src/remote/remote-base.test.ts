import { initializeAdapter } from "@waggle/model";
import type { Adapter } from "@waggle/model";
import type { ModelStart, SharedBase } from "@waggle/protocol";
import { describe, expect, onTestFinished, test } from "vitest";
import { isLong } from "../../../../test/fixtures/long.ts";
import { sharedBaseContract } from "../contract/shared-base.contract.ts";
import { openSharedBase } from "../shared-base.ts";
import { codeOf, loudValueHead, TINY } from "../contract/train-engine.fixture.ts";
import type { EngineUrl } from "../create-engine.ts";
import { ALPHA, connect, FLAVORS, MODEL, serverOf } from "./remote-engine.fixture.ts";

type Server = Awaited<ReturnType<typeof serverOf>>;

function openOn({ server, folder }: Server): Promise<SharedBase> {
  return openSharedBase({
    device: server.url as EngineUrl,
    config: TINY,
    weights: MODEL.weights,
    server: { seed: 1, sharedFolder: folder, retryDelayMs: 1 },
  });
}

function start(rank: number): ModelStart & { readonly adapter: Adapter } {
  return { adapter: initializeAdapter(TINY, { rank, alpha: ALPHA, seed: 1 }) };
}

// `npm test` has SkyRL, which holds one model or several.
describe.each(FLAVORS.map((flavor) => ({ flavor, isRun: isLong() || flavor === "skyrl" })))(
  "over HTTP on $flavor",
  ({ flavor, isRun }) => {
    describe.runIf(isRun)("as a shared base", () => {
      sharedBaseContract({
        name: `a ${flavor} server`,
        open: async () => openOn(await serverOf(MODEL, { flavor })),
        createAlone: async ({ adapter }) =>
          connect(await serverOf(MODEL, { flavor }), MODEL, { adapter }),
        alpha: ALPHA,
      });
    });
  },
);

test("each model is created on the server and unloaded from it", async () => {
  const server = await serverOf(MODEL, { flavor: "skyrl" });
  const base = await openOn(server);
  onTestFinished(() => base.dispose());
  expect(server.server.requests).toEqual([]);
  const engines = [await base.createModel("a", start(3)), await base.createModel("b", start(4))];
  const created = server.server.requests.filter(({ call }) => call === "create_model");
  // one of them belongs to the probe
  expect(created.length).toBe(3);
  const from = server.server.requests.length;
  for (const engine of engines) await engine.forward({ sequences: [{ tokenIds: [1, 2, 3] }] });
  await base.unloadModel("a");
  const ids = (call: string): unknown[] =>
    server.server.requests
      .slice(from)
      .filter((request) => request.call === call)
      .map(({ json }) => (json as { readonly model_id: string }).model_id);
  const [first, second] = ids("forward");
  expect(first).not.toBe(second);
  expect(ids("unload_model")).toEqual([first]);
});

test("a server limited to one model refuses the second by name and keeps the first", async () => {
  const base = await openOn(await serverOf(MODEL, { flavor: "skyrl", holdsOneModel: true }));
  onTestFinished(() => base.dispose());
  const engine = await base.createModel("a", start(3));
  await expect(base.createModel("b", start(3))).rejects.toMatchObject({
    code: "CAPABILITY_MISSING",
    message: expect.stringContaining("Only one model supported") as string,
  });
  expect(base.modelIds()).toEqual(["a"]);
  await engine.forward({ sequences: [{ tokenIds: [1, 2, 3] }] });
  await base.unloadModel("a");
  await base.createModel("b", start(3));
});

test("value heads are refused before the first request to the server", async () => {
  const server = await serverOf(MODEL, { flavor: "open-rl" });
  const base = await openOn(server);
  const valued = { ...start(3), valueHead: loudValueHead(TINY) };
  expect(await codeOf(base.createModel("a", valued))).toBe("CAPABILITY_MISSING");
  expect(server.server.requests).toEqual([]);
});
