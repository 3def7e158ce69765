/** What a server lacks, or has otherwise, is said before anything is trained. */
import { initializeAdapter } from "@waggle/model";
import { expect, test } from "vitest";
import {
  codeOf,
  loudAdapter,
  loudValueHead,
  TINY,
  TINY_LLAMA,
} from "../contract/train-engine.fixture.ts";
import {
  ALPHA,
  connect,
  exportFilesOf,
  MODEL,
  SEQUENCES,
  serverOf,
} from "./remote-engine.fixture.ts";

test("a server that takes means over weights is refused, and SkyRL's way out is named", async () => {
  const server = await serverOf(MODEL, { flavor: "skyrl", weighting: "mean" });
  await expect(connect(server, MODEL)).rejects.toMatchObject({
    code: "CAPABILITY_MISSING",
    message: expect.stringContaining("--backend fsdp or megatron") as string,
  });
});

test("the model of the probe is given back before that of the training is created", async () => {
  const { server, folder } = await serverOf(MODEL, { flavor: "skyrl" });
  await connect({ server, folder }, MODEL);
  const calls = server.requests.map(({ call }) => call);
  const order = calls.filter((call) =>
    ["create_model", "optim_step", "unload_model"].includes(call),
  );
  expect(order).toEqual([
    "create_model",
    "optim_step",
    "optim_step",
    "unload_model",
    "create_model",
  ]);
});

test("another base model than the one here is found by its log-probs", async () => {
  const server = await serverOf(MODEL, { flavor: "skyrl" });
  const weights = new Map(MODEL.weights);
  const [name, { shape, data }] = [...weights][1] as [
    string,
    { shape: number[]; data: Float32Array },
  ];
  weights.set(name, { shape, data: data.map((value) => -3 * value) });
  expect(await codeOf(connect(server, MODEL, { weights }))).toBe("MODEL_UNSUPPORTED");
  await connect(server, MODEL, { weights: MODEL.weights });
});

test("a base model that the server does not serve is refused by its name", async () => {
  const server = await serverOf(MODEL, { flavor: "open-rl" });
  expect(await codeOf(connect(server, MODEL, { baseModel: "Qwen/Qwen3-0.6B" }))).toBe(
    "MODEL_UNSUPPORTED",
  );
  await connect(server, MODEL, { baseModel: "tiny/decoder" });
});

test("there is no upload: a trained adapter, and one of another decoder, are refused", async () => {
  const server = await serverOf(MODEL, { flavor: "skyrl" });
  const trained = { ...loudAdapter(TINY), alpha: ALPHA };
  expect(await codeOf(connect(server, MODEL, { adapter: trained }))).toBe("CAPABILITY_MISSING");
  const foreign = initializeAdapter(TINY_LLAMA, { rank: 3, alpha: ALPHA, seed: 1 });
  expect(await codeOf(connect(server, MODEL, { adapter: foreign }))).toBe("ADAPTER_INCOMPATIBLE");
});

test("value heads are refused by name before anything is asked of the server", async () => {
  const server = await serverOf(MODEL, { flavor: "skyrl" });
  const valueHead = loudValueHead(TINY);
  await expect(connect(server, MODEL, { valueHead })).rejects.toMatchObject({
    code: "CAPABILITY_MISSING",
    message: expect.stringContaining("value heads") as string,
  });
  expect(server.server.requests).toEqual([]);
  const engine = await connect(server, MODEL);
  const asked = server.server.requests.length;
  const values = SEQUENCES.map(({ tokenIds }) => new Float32Array(tokenIds.length));
  const batch = { sequences: SEQUENCES };
  expect(await codeOf(engine.forward({ ...batch, values: true }))).toBe("CAPABILITY_MISSING");
  expect(await codeOf(engine.backward(batch, { values }))).toBe("CAPABILITY_MISSING");
  expect(server.server.requests.length).toBe(asked);
});

test("SkyRL has one alpha, open-rl any", async () => {
  const adapter = initializeAdapter(TINY, { rank: 3, alpha: 6, seed: 1 });
  const skyrl = await serverOf(MODEL, { flavor: "skyrl" });
  await expect(connect(skyrl, MODEL, { adapter })).rejects.toMatchObject({
    code: "CAPABILITY_MISSING",
    message: expect.stringContaining("--alpha 32") as string,
  });
  const openRl = await serverOf(MODEL, { flavor: "open-rl" });
  const engine = await connect(openRl, MODEL, { adapter });
  expect(engine.capabilities()).toMatchObject({ trains: "lora", reads: ["parameters"] });
});

test("open-rl trains no full model", async () => {
  const model = { ...MODEL, trains: "full" } as const;
  const server = await serverOf(model, { flavor: "open-rl" });
  expect(await codeOf(connect(server, model))).toBe("CAPABILITY_MISSING");
});

test("open-rl without a shared folder gives no parameters, and says so beforehand", async () => {
  const server = await serverOf(MODEL, { flavor: "open-rl" });
  const engine = await connect(server, MODEL, { sharedFolder: undefined });
  expect(engine.capabilities().reads).toEqual([]);
  expect(await codeOf(engine.parameters())).toBe("CAPABILITY_MISSING");
  expect(await codeOf(engine.gradients())).toBe("CAPABILITY_MISSING");
  await engine.forward({ sequences: SEQUENCES });
});

test("a folder that is not the server's is refused", async () => {
  const server = await serverOf(MODEL, { flavor: "open-rl" });
  expect(await codeOf(connect(server, MODEL, { sharedFolder: "/nonexistent" }))).toBe("NOT_FOUND");
});

test("a backend that exports merged models gives no parameters", async () => {
  const server = await serverOf(MODEL, {
    flavor: "skyrl",
    exportFiles: () => new Map([["model.safetensors", new Uint8Array(8)]]),
  });
  const engine = await connect(server, MODEL);
  expect(engine.capabilities().reads).toEqual([]);
  await expect(engine.parameters()).rejects.toMatchObject({
    code: "CAPABILITY_MISSING",
    message: expect.stringContaining("merged") as string,
  });
});

test("an exported adapter of another alpha is refused", async () => {
  const server = await serverOf(MODEL, {
    flavor: "skyrl",
    exportFiles: (parameters, request) =>
      exportFilesOf(TINY)(parameters, { ...request, alpha: 2 * request.alpha }),
  });
  expect(await codeOf(connect(server, MODEL))).toBe("ADAPTER_INCOMPATIBLE");
});
