/** Growing out of one machine is a changed URL: the trainer on a server of the Tinker API. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createOnnxEngine } from "@waggle/engine";
import { adapterConfigJson, initializeAdapter, writeAdapter } from "@waggle/model";
import { createTinkerServer, type TinkerServer } from "@waggle/testing/tinker-server";
import { expect, onTestFinished, test } from "vitest";
import { edgeRecipeNamed } from "./edge-recipe.ts";
import { type BaseModel, readBaseModel } from "./base-model.ts";
import { FakeEdge } from "./fake-edge.fixture.ts";
import { playedGroups } from "./leased-groups.fixture.ts";
import { createProgram } from "./program.ts";
import { createReporter } from "./reporter.ts";
import { train, type TrainingSessionOptions } from "./training-session.ts";

const MODEL = join(import.meta.dirname, "../../packages/model/nano");
const recipe = edgeRecipeNamed("dr-grpo-tis", { groupsPerStep: 2 });

async function serverFor(
  model: BaseModel,
  flavor: "skyrl" | "open-rl",
): Promise<{ readonly server: TinkerServer; readonly folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), "waggle-server-"));
  const { config, weights } = model;
  const server = await createTinkerServer({
    flavor,
    folder,
    baseModel: "waggle/nano",
    createEngine: ({ rank, alpha, seed = 1 }) => {
      const adapter = initializeAdapter(config, { rank, alpha, seed });
      return createOnnxEngine({ config, weights, trains: "lora", adapter, threads: 1 });
    },
    exportFiles: (tensors, { rank, alpha }) =>
      new Map([
        [
          "adapter_config.json",
          new TextEncoder().encode(JSON.stringify(adapterConfigJson({ rank, alpha }, config))),
        ],
        ["adapter_model.safetensors", writeAdapter({ rank, alpha, tensors }, config)],
      ]),
  });
  onTestFinished(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });
  return { server, folder };
}

async function simulated(...args: string[]): Promise<object[]> {
  const events: object[] = [];
  const note = (line: string): void => void events.push(JSON.parse(line) as object);
  const program = createProgram({
    signal: new AbortController().signal,
    writeOut: note,
    writeError: note,
    environment: {},
  });
  await program.parseAsync([
    ...["node", "main.ts", "simulate", "--model", MODEL, "--steps", "2", "--groups-per-step", "1"],
    ...["--group-size", "4", "--evaluation-tasks", "4", "--threads", "1", "--rank", "4"],
    ...["--alpha", "32", "--json", ...args],
  ]);
  return events;
}

/** Numbers of a step that do not tell the time. The engine of a server has no entropies. */
function timeless(events: readonly object[]): unknown {
  return JSON.parse(
    JSON.stringify(events, (name, value: unknown) =>
      ["seconds", "minutes", "entropy"].includes(name) ? undefined : value,
    ),
  );
}

test("simulate on a server learns what it learns here", async () => {
  const { server, folder } = await serverFor(await readBaseModel(MODEL), "open-rl");
  const remote = await simulated("--device", server.url, "--server-folder", folder);
  expect(timeless(remote)).toEqual(timeless(await simulated("--device", "cpu")));
  expect(server.requests.filter(({ call }) => call === "optim_step").length).toBe(2 + 2);
});

test("an entropy bonus is refused before anything runs, and what would serve is named", async () => {
  const { server } = await serverFor(await readBaseModel(MODEL), "skyrl");
  const refused = simulated("--device", server.url, "--entropy-coefficient", "0.01");
  await expect(refused).rejects.toMatchObject({
    code: "CAPABILITY_MISSING",
    message: expect.stringMatching(/dr-grpo-tis.*derivatives of entropy.*--device cpu/) as string,
  });
});

test("a run on a server publishes, survives the server's restart, and needs its adapters", async () => {
  const model = await readBaseModel(MODEL);
  const { server } = await serverFor(model, "skyrl");
  const folder = await mkdtemp(join(tmpdir(), "waggle-session-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const { signal } = new AbortController();
  const edge = new FakeEdge(await playedGroups(model, recipe, 8), model.reference.sha256);
  const options: TrainingSessionOptions = {
    stateFolder: folder,
    isResuming: true,
    device: server.url as `http://${string}`,
    threads: 1,
    rank: 4,
    alpha: 32,
    seed: 1,
    tasks: { start: 1_000_000, count: 4, seed: 1 },
    promotionMargin: 1,
    watch: { success: 0.05, readable: 0.05, falseAlarm: 0.001, drift: 0.2 },
    leaseSeconds: 60,
    pollMs: 1,
    partialStepMs: 30,
    publishEvery: 1,
    microbatchTokens: 4096,
    shuffleAdvantages: false,
    visitorShare: 0.1,
    maxSteps: 1,
    maxPublications: Infinity,
    idleExitMs: 60,
  };
  const report = createReporter(() => {}, true);
  const first = await train(model, edge.client(), recipe, options, report, signal);
  expect([first.stoppedBy, edge.stable]).toEqual(["max-steps", 1]);

  await server.restart();
  const more = { ...options, maxSteps: 2 };
  const again = await train(model, edge.client(), recipe, more, report, signal);
  expect(again.state.step).toBe(2);
  expect(edge.stable).toBe(2);
  const loads = server.requests.filter(({ call }) => call === "load_weights");
  expect(loads.map(({ status }) => status)).toEqual([200]);

  const blind = await serverFor(model, "open-rl");
  const state = { stateFolder: `${folder}/other`, device: blind.server.url as `http://${string}` };
  const fresh = new FakeEdge([], model.reference.sha256);
  await expect(
    train(model, fresh.client(), recipe, { ...options, ...state }, report, signal),
  ).rejects.toMatchObject({
    code: "CAPABILITY_MISSING",
    message: expect.stringContaining("--server-folder") as string,
  });
});
