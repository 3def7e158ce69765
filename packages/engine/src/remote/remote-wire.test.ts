/** The wire format: compression, splitting of batches, data of the Tinker API. */
import { toBeAllClose, TOLERANCE } from "@waggle/testing";
import { expect, test } from "vitest";
import { skipOutside } from "../../../../test/fixtures/long.ts";
import { randomDerivatives } from "../contract/train-engine.fixture.ts";
import {
  connect,
  localEngine,
  MODEL,
  SEQUENCES,
  serverOf,
  train,
} from "./remote-engine.fixture.ts";
import { splitData, toBackwardData, toForwardData } from "./wire-batch.ts";

expect.extend({ toBeAllClose });

test.for([
  ["skyrl", "zstd", false],
  ["open-rl", null, false],
  ["skyrl", "gzip", true],
  ["open-rl", "gzip", true],
] as const)(
  "%s: passes are sent as %s if the server reads gzip: %s",
  async ([flavor, encoding, readsGzip], context) => {
    skipOutside((flavor === "skyrl") === (encoding === "zstd"), context);
    const { server, folder } = await serverOf(MODEL, { flavor, readsGzip });
    const remote = await connect({ server, folder }, MODEL);
    const local = await localEngine();
    const from = server.requests.length;
    const sequences = Array.from({ length: 20 }, (_, i) => ({
      tokenIds: Array.from({ length: 60 }, (_, t) => (i * 7 + t * t) % 29),
    }));
    const logProb = randomDerivatives(sequences, 3);
    await remote.backward({ sequences }, { logProb });
    await local.backward({ sequences }, { logProb });
    expect(await train(remote, [1])).toEqual(await train(local, [1]));
    const [pass, small] = server.requests
      .slice(from)
      .filter(({ call }) => call === "forward_backward");
    expect(pass?.encoding).toBe(encoding);
    const plain = JSON.stringify(pass?.json).length;
    expect(pass?.bytes).toBeLessThan(encoding === null ? plain + 1 : 0.6 * plain);
    // A body of a few bytes is not compressed.
    expect(server.requests.at(-1)?.encoding).toBe(null);
    expect(small?.status).toBe(200);
  },
);

test("batches are split to the limits in order, and give the same gradients", async () => {
  const { server, folder } = await serverOf(MODEL, { flavor: "skyrl", maxBodyBytes: 900 });
  const limits = { sequences: 2, bytes: 600 };
  const remote = await connect({ server, folder }, MODEL, { limits });
  const local = await localEngine();
  const sequences = Array.from({ length: 9 }, (_, i) => ({
    tokenIds: Array.from({ length: 3 + 3 * i }, (_, t) => (i * 5 + t * 3) % 29),
  }));
  const from = server.requests.length;
  const logProb = randomDerivatives(sequences, 3);
  const outputs = await remote.forward({ sequences });
  const flat = (arrays: readonly Float32Array[]): number[] => arrays.flatMap((array) => [...array]);
  // not bit for bit, because other requests are other microbatches
  expect(flat(outputs.logProb)).toBeAllClose(
    flat((await local.forward({ sequences })).logProb),
    TOLERANCE.f32,
  );
  for (const engine of [remote, local]) {
    await engine.backward({ sequences }, { logProb });
    await engine.optimStep({ learningRate: 0.01, maxGradientNorm: 1 });
  }
  const passes = server.requests.slice(from).filter(({ call }) => call === "forward_backward");
  expect(passes.length).toBeGreaterThan(4);
  expect(passes.every(({ status }) => status === 200)).toBe(true);
  const [actual, expected] = [await remote.parameters(), await local.parameters()];
  for (const [name, { data }] of expected) {
    const other = actual.get(name)?.data ?? new Float32Array();
    const gap = Math.hypot(...data.map((value, i) => value - (other[i] as number)));
    expect(gap).toBeLessThanOrEqual(1e-4 * Math.hypot(...data));
  }
});

test("a body that is too large for a proxy in front of the server is reported as such", async () => {
  const { server, folder } = await serverOf(MODEL, { flavor: "open-rl", maxBodyBytes: 600 });
  const remote = await connect({ server, folder }, MODEL);
  const sequences = [...SEQUENCES, ...SEQUENCES, ...SEQUENCES];
  await expect(remote.forward({ sequences })).rejects.toMatchObject({ code: "PAYLOAD_TOO_LARGE" });
});

test("a datum has the input, its targets and weights −dL/dlog π, without trailing zero derivatives", () => {
  const batch = { sequences: [{ tokenIds: [5, 6, 7, 8] }, { tokenIds: [9, 9] }] };
  const logProb = [Float32Array.of(9, 0.1, -0.25, 0), Float32Array.of(0, 0)];
  expect(toBackwardData(batch, { logProb })).toEqual([
    {
      sequence: 0,
      path: { tokens: [0, 1, 2], shared: 0 },
      datum: {
        model_input: { chunks: [{ type: "encoded_text", tokens: [5, 6] }] },
        loss_fn_inputs: {
          target_tokens: { data: [6, 7], dtype: "int64", shape: [2] },
          weights: { data: [-0.100000001, 0.25], dtype: "float32", shape: [2] },
        },
      },
    },
  ]);
  // Nine digits identify the same float32.
  expect(Math.fround(-0.100000001)).toBe(Math.fround(-0.1));
});

test("a tree is sent as one datum per path, with weights of shared tokens on the first path only", () => {
  const batch = { sequences: [{ tokenIds: [5, 6, 7, 8, 9], parents: [-1, 0, 1, 1, 0] }] };
  const logProb = [Float32Array.of(9, 1, 2, 3, 4)];
  const sent = toBackwardData(batch, { logProb }).map(({ datum }) => [
    datum.model_input.chunks[0].tokens,
    datum.loss_fn_inputs.target_tokens.data,
    datum.loss_fn_inputs.weights.data,
  ]);
  expect(sent).toEqual([
    [
      [5, 6],
      [6, 7],
      [-1, -2],
    ],
    [
      [5, 6],
      [6, 8],
      [0, -3],
    ],
    [[5], [9], [-4]],
  ]);
});

test("without derivatives one datum with zero weights remains, without targets none", () => {
  const batch = { sequences: [{ tokenIds: [4] }, { tokenIds: [5, 6] }, { tokenIds: [7, 8] }] };
  const [only, ...more] = toBackwardData(batch, {});
  expect([only?.sequence, only?.datum.loss_fn_inputs.weights.data, more]).toEqual([1, [0], []]);
  expect(toForwardData(batch).map(({ sequence }) => sequence)).toEqual([1, 2]);
  expect(toForwardData({ sequences: [{ tokenIds: [4] }] })).toEqual([]);
});

test("splitting keeps every datum in order, and a datum above the limit gets its own request", () => {
  const lengths = [3, 200, 4, 5, 3, 3, 3];
  const batch = {
    sequences: lengths.map((length) => ({ tokenIds: Array<number>(length).fill(1) })),
  };
  const data = toForwardData(batch);
  const requests = splitData(data, { sequences: 3, bytes: 700 });
  expect(requests.flat()).toEqual(data);
  expect(requests.map((request) => request.map(({ sequence }) => sequence))).toEqual([
    [0],
    [1],
    [2, 3, 4],
    [5, 6],
  ]);
});
