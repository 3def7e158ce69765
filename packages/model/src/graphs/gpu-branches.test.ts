/** The GPU form of branches, on onnxruntime's CPU provider, which has all of its operators. */
import { InferenceSession, Tensor } from "onnxruntime-node";
import { expect, test } from "vitest";
import type { DecoderConfig } from "../decoder/decoder-config.ts";
import { buildDecoderGraph } from "./decoder-graph.ts";
import { initializeDecoder } from "../decoder/decoder-parameters.ts";
import { GPU_BRANCHES } from "./graph-branches.ts";
import { PlainDecoder } from "../decoder/plain-decoder.ts";

const WINDOW = 6;
const GEMMA: DecoderConfig = {
  modelType: "gemma3_text",
  vocabularySize: 50,
  width: 32,
  layers: 2,
  heads: 4,
  keyValueHeads: 2,
  headSize: 16,
  feedForwardSize: 40,
  ropeTheta: 10_000,
  rmsNormEpsilon: 1e-6,
  tiedEmbeddings: true,
  contextLength: 64,
  ropeScaling: null,
  layerKinds: ["sliding", "attention"],
  slidingWindow: WINDOW,
  localRopeTheta: 1000,
  queryScalar: 24,
};
/** Room for the prefix and for own positions; not all of it is used. */
const [PREFIX, ROOM] = [16, 8];
const HEADS = GEMMA.keyValueHeads;
const SIZE = GEMMA.headSize;

/** 0 where positions count for a token at `shared + own`, otherwise a large negative number. */
function biasOf(shared: number, own: number, window: number): number[] {
  const first = shared + own + 1 - window;
  return [
    ...Array.from({ length: PREFIX }, (_, at) => (at < shared && at >= first ? 0 : -1e9)),
    ...Array.from({ length: ROOM }, (_, at) => (at <= own && shared + at >= first ? 0 : -1e9)),
  ];
}

test.for([true, false])(
  "branches of sliding layers match the plain decoder only if their bias has the window (%s)",
  async (counts) => {
    const weights = new Map(
      [...initializeDecoder(GEMMA, 4)].map(([name, { shape, data }]) => [
        name,
        { shape, data: shape.length === 1 ? data : data.map((value) => value * 12) },
      ]),
    );
    const lora = null;
    const session = await InferenceSession.create(
      (await buildDecoderGraph(GEMMA, weights, { lora })).model,
    );
    const branches = await InferenceSession.create(
      (await buildDecoderGraph(GEMMA, weights, { lora, inputs: GPU_BRANCHES })).model,
    );
    const prompt = Array.from({ length: 13 }, (_, at) => (at * at * 7 + 3) % 50);
    /** Two branches: one that shares all positions of the prefix, one that shares fewer. */
    const shared = [13, 9];
    const empty = (): Tensor => new Tensor("float32", new Float32Array(0), [1, HEADS, 0, SIZE]);
    const states = [0, 1].flatMap((layer) => [`${layer}.key`, `${layer}.value`]);
    const read = await session.run({
      input_ids: new Tensor("int32", Int32Array.from(prompt), [1, 13]),
      seqlens_k: new Tensor("int32", Int32Array.of(12), [1]),
      total_sequence_length: new Tensor("int32", Int32Array.of(13), []),
      ...Object.fromEntries(states.map((name) => [`past_key_values.${name}`, empty()])),
    });
    const feeds: Record<string, Tensor> = {
      prefix_length: new Tensor("int32", Int32Array.of(PREFIX), [1]),
    };
    for (const name of states) {
      const data = read[`present.${name}`]?.data as Float32Array;
      const padded = new Float32Array(HEADS * PREFIX * SIZE);
      for (let head = 0; head < HEADS; head++) {
        padded.set(data.subarray(head * 13 * SIZE, (head + 1) * 13 * SIZE), head * PREFIX * SIZE);
      }
      feeds[`prefix.${name}`] = new Tensor("float32", padded, [1, HEADS, PREFIX, SIZE]);
      const own = new Float32Array(2 * HEADS * ROOM * SIZE);
      feeds[`past_key_values.${name}`] = new Tensor("float32", own, [2, HEADS, ROOM, SIZE]);
    }
    const plain = shared.map((length) => {
      const decoder = new PlainDecoder(GEMMA, weights);
      for (const id of prompt.slice(0, length)) decoder.read(id);
      return decoder;
    });
    let largest = 0;
    for (let own = 0; own < ROOM; own++) {
      const ids = [(own * 11 + 1) % 50, (own * 17 + 2) % 50];
      const slots = shared.flatMap((_, row) => [row, 0, own, row, 1, own]);
      const bias = shared.flatMap((length) => biasOf(length, own, 64));
      const sliding = shared.flatMap((length) => biasOf(length, own, counts ? WINDOW : 64));
      const dims = [1, 2, 1, PREFIX + ROOM];
      const results = await branches.run({
        ...feeds,
        input_ids: new Tensor("int32", Int32Array.from(ids), [2, 1]),
        positions: new Tensor(
          "int32",
          Int32Array.from(shared, (length) => length + own),
          [2, 1],
        ),
        slots: new Tensor("int32", Int32Array.from(slots), [2, HEADS, 1, 3]),
        bias: new Tensor("float32", Float32Array.from(bias), dims),
        sliding_bias: new Tensor("float32", Float32Array.from(sliding), dims),
      });
      for (const name of states) feeds[`past_key_values.${name}`] = results[`present.${name}`]!;
      const logits = results["logits"]?.data as Float32Array;
      for (const [row, decoder] of plain.entries()) {
        for (const [id, value] of decoder.read(ids[row] as number).entries()) {
          largest = Math.max(largest, Math.abs(value - (logits[row * 50 + id] as number)));
        }
      }
    }
    expect(counts ? largest < 1e-4 : largest > 0.01).toBe(true);
  },
);
