/** Missing features and mismatches of a server are reported before anything is trained. */
import { initializeAdapter } from "@waggle/model";
import { expect, test } from "vitest";
import { isLong } from "../../../../test/fixtures/long.ts";
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

test("a server that averages over weights is refused, naming SkyRL's backends that sum", async () => {
  const server = await serverOf(MODEL, { flavor: "skyrl", weighting: "mean" });
  await expect(connect(server, MODEL)).rejects.toMatchObject({
    code: "CAPABILITY_MISSING",
    message: expect.stringContaining("--backend fsdp or megatron") as string,
  });
});

// Under `npm test`, remote-base.test.ts has what is created and unloaded.
test.runIf(isLong())(
  "the probe's model is unloaded before the model to train is created",
  async () => {
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
  },
);

test("a base model that differs from the local one is detected by its log-probs", async () => {
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

// `npm test` has a sample of the refusals.
test.runIf(isLong())("a base model that the server does not serve is refused", async () => {
  const server = await serverOf(MODEL, { flavor: "open-rl" });
  expect(await codeOf(connect(server, MODEL, { baseModel: "Qwen/Qwen3-0.6B" }))).toBe(
    "MODEL_UNSUPPORTED",
  );
  await connect(server, MODEL, { baseModel: "tiny/decoder" });
});

test("a trained adapter, and one for another decoder, are refused", async () => {
  const server = await serverOf(MODEL, { flavor: "skyrl" });
  const trained = { ...loudAdapter(TINY), alpha: ALPHA };
  expect(await codeOf(connect(server, MODEL, { adapter: trained }))).toBe("CAPABILITY_MISSING");
  const foreign = initializeAdapter(TINY_LLAMA, { rank: 3, alpha: ALPHA, seed: 1 });
  expect(await codeOf(connect(server, MODEL, { adapter: foreign }))).toBe("ADAPTER_INCOMPATIBLE");
});

test("value heads are refused by name before any request to the server", async () => {
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

test("SkyRL accepts only its alpha, open-rl any", async () => {
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

test("full training is refused on open-rl", async () => {
  const model = { ...MODEL, trains: "full" } as const;
  const server = await serverOf(model, { flavor: "open-rl" });
  expect(await codeOf(connect(server, model))).toBe("CAPABILITY_MISSING");
});

test("without a shared folder open-rl's parameters cannot be read, and capabilities() says so", async () => {
  const server = await serverOf(MODEL, { flavor: "open-rl" });
  const engine = await connect(server, MODEL, { sharedFolder: undefined });
  expect(engine.capabilities().reads).toEqual([]);
  expect(await codeOf(engine.parameters())).toBe("CAPABILITY_MISSING");
  expect(await codeOf(engine.gradients())).toBe("CAPABILITY_MISSING");
  await engine.forward({ sequences: SEQUENCES });
});

// `npm test` has a sample of the refusals.
test.runIf(isLong())("a shared folder without the server's files is refused", async () => {
  const server = await serverOf(MODEL, { flavor: "open-rl" });
  expect(await codeOf(connect(server, MODEL, { sharedFolder: "/nonexistent" }))).toBe("NOT_FOUND");
});

// `npm test` has a sample of the refusals.
test.runIf(isLong())(
  "parameters cannot be read from a backend that exports merged models",
  async () => {
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
  },
);

// `npm test` has a sample of the refusals.
test.runIf(isLong())("an exported adapter with another alpha is refused", async () => {
  const server = await serverOf(MODEL, {
    flavor: "skyrl",
    exportFiles: (parameters, request) =>
      exportFilesOf(TINY)(parameters, { ...request, alpha: 2 * request.alpha }),
  });
  expect(await codeOf(connect(server, MODEL))).toBe("ADAPTER_INCOMPATIBLE");
});
