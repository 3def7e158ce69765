import { initializeAdapter, initializeDecoder } from "@waggle/model";
import { expect, test } from "vitest";
import { createEngine } from "../create-engine.ts";
import { codeOf, randomDerivatives, TINY } from "../contract/train-engine.fixture.ts";
import {
  ALPHA,
  connect,
  distances,
  FLAVORS,
  localEngine,
  MODEL,
  SEQUENCES,
  serverOf,
  train,
} from "./remote-engine.fixture.ts";

test.each(FLAVORS)("%s: outputs, norms and parameters match the local engine's", async (flavor) => {
  const remote = await connect(await serverOf(MODEL, { flavor }), MODEL, MODEL);
  const local = await localEngine();
  expect(await train(remote, [1, 2, 3])).toEqual(await train(local, [1, 2, 3]));
  expect(Math.max(...distances(await remote.parameters(), await local.parameters()))).toBe(0);
  const outputs = await remote.forward({ sequences: SEQUENCES });
  const { logProb } = await local.forward({ sequences: SEQUENCES });
  expect(outputs.logProb).toEqual(logProb);
  expect(outputs.rawLogProb).toEqual(logProb);
  expect(outputs.entropy[0]?.every(Number.isNaN)).toBe(true);
});

test("derivatives of both log-probs add up", async () => {
  const remote = await connect(await serverOf(MODEL, { flavor: "skyrl" }), MODEL);
  const local = await localEngine();
  const derivatives = {
    logProb: randomDerivatives(SEQUENCES, 4),
    rawLogProb: randomDerivatives(SEQUENCES, 5),
  };
  for (const engine of [remote, local]) {
    await engine.backward({ sequences: SEQUENCES }, derivatives);
    await engine.optimStep({ learningRate: 0.01, maxGradientNorm: 1 });
  }
  const [actual, expected] = [await remote.parameters(), await local.parameters()];
  // Here the sum of two derivatives is rounded; there the sum of their gradients.
  expect(Math.max(...distances(actual, expected))).toBeLessThan(1e-4);
});

test("a step after zero derivatives is a step on zero gradients", async () => {
  const remote = await connect(await serverOf(MODEL, { flavor: "skyrl" }), MODEL);
  const zeros = SEQUENCES.map(({ tokenIds }) => new Float32Array(tokenIds.length));
  const before = await remote.parameters();
  await remote.backward({ sequences: SEQUENCES }, { logProb: zeros });
  const step = { learningRate: 1, maxGradientNorm: 1 };
  expect(await remote.optimStep(step)).toEqual({ gradientNorm: 0, step: 1 });
  expect(await remote.parameters()).toEqual(before);
});

test.each(FLAVORS)("%s: another engine resumes exactly from a saved checkpoint", async (flavor) => {
  const server = await serverOf(MODEL, { flavor });
  const whole = await connect(server, MODEL);
  await train(whole, [1, 2]);
  const checkpoint = await whole.save();
  expect(checkpoint).toMatchObject({ step: 2, location: expect.any(String) as string });
  await train(whole, [3, 4]);
  const resumed = await connect(server, MODEL);
  await train(resumed, [9]);
  await resumed.backward({ sequences: SEQUENCES }, { logProb: randomDerivatives(SEQUENCES, 8) });
  await resumed.load(checkpoint);
  await train(resumed, [3, 4]);
  expect(await resumed.parameters()).toEqual(await whole.parameters());
  expect((await resumed.save()).step).toBe(4);
});

test("a checkpoint that this server does not have is refused", async () => {
  const remote = await connect(await serverOf(MODEL, { flavor: "skyrl" }), MODEL);
  const elsewhere = { step: 1, tensors: new Map(), location: "tinker://model_77/weights/step-1" };
  expect(await codeOf(remote.load(elsewhere))).toBe("CHECKPOINT_CORRUPT");
  const ours = await localEngine().then((engine) => engine.save());
  expect(await codeOf(remote.load(ours))).toBe("CHECKPOINT_CORRUPT");
});

test("open-rl takes decay and clipping from the call, and keeps the first step's betas", async () => {
  const remote = await connect(await serverOf(MODEL, { flavor: "open-rl" }), MODEL);
  const local = await localEngine();
  const options = { learningRate: 0.02, beta2: 0.99, weightDecay: 0.1 };
  for (const [seed, maxGradientNorm] of [0.5, 0.1, 0].entries()) {
    const logProb = randomDerivatives(SEQUENCES, seed);
    for (const engine of [remote, local]) {
      await engine.backward({ sequences: SEQUENCES }, { logProb });
      await engine.optimStep({ ...options, maxGradientNorm });
    }
  }
  expect(await remote.parameters()).toEqual(await local.parameters());
  expect(await codeOf(remote.optimStep({ ...options, beta2: 0.95 }))).toBe("CAPABILITY_MISSING");
});

test("SkyRL fixes its optimizer at startup: a step with other settings is not sent", async () => {
  const server = await serverOf(MODEL, { flavor: "skyrl" });
  const remote = await connect(server, MODEL);
  expect(remote.capabilities().fixedOptimizer).toMatchObject({ maxGradientNorm: 1 });
  const sent = server.server.requests.length;
  const step = { learningRate: 0.01, maxGradientNorm: 0.5 };
  expect(await codeOf(remote.optimStep(step))).toBe("CAPABILITY_MISSING");
  expect(server.server.requests.length).toBe(sent);
});

test("full training on SkyRL learns one sequence, and not at learning rate 0", async () => {
  const model = { ...MODEL, weights: initializeDecoder(TINY, 3), trains: "full" } as const;
  const server = await serverOf(model, { flavor: "skyrl" });
  const sequences = [{ tokenIds: [1, 7, 7, 3, 28, 12, 7, 5, 1, 19, 4, 4] }];
  const logProb = [new Float32Array(12).fill(-1 / 11)];
  const meanLogProb = async (learningRate: number): Promise<number> => {
    const engine = await connect(server, model);
    for (let step = 0; step < 40; step++) {
      await engine.backward({ sequences }, { logProb });
      await engine.optimStep({ learningRate, maxGradientNorm: 1 });
    }
    const [row] = (await engine.forward({ sequences })).logProb;
    return (row ?? new Float32Array()).reduce((sum, value) => sum + value, 0) / 11;
  };
  expect(await meanLogProb(0.02)).toBeGreaterThan(-1);
  // A uniform distribution over 29 tokens has −3.37.
  expect(await meanLogProb(0)).toBeLessThan(-3);
});

test("a URL as device connects to a server", async () => {
  const { server } = await serverOf(MODEL, { flavor: "skyrl" });
  const device = server.url as `http://${string}`;
  const adapter = initializeAdapter(TINY, { rank: 3, alpha: ALPHA, seed: 1 });
  const engine = await createEngine({ ...MODEL, device, adapter });
  expect(engine.capabilities()).toMatchObject({
    outputs: ["logProb", "rawLogProb"],
    sequences: ["parents"],
    reads: ["parameters"],
    device: `tinker skyrl ${server.url} tiny/decoder zstd`,
  });
  await engine.dispose();
  expect(server.requests.at(-2)?.call).toBe("unload_model");
});

test("a session is kept alive until the engine is disposed of", async () => {
  const { server, folder } = await serverOf(MODEL, { flavor: "skyrl" });
  const engine = await connect({ server, folder }, MODEL, { heartbeatMs: 5 });
  const beats = (): number =>
    server.requests.filter(({ call }) => call === "session_heartbeat").length;
  const before = beats();
  await expect.poll(beats).toBeGreaterThan(before + 2);
  await engine.dispose();
  const after = beats();
  await engine.dispose();
  expect(beats()).toBe(after);
});
