import { readResidentWeights, roundedWeights, tensorMapSource } from "@waggle/model";
import type { Tensor } from "@waggle/protocol";
import { afterEach, expect, test } from "vitest";
import { ChunkedHead } from "./chunked-head.ts";
import type { LogitDerivatives, LogitOutputs } from "./decoder-runner.ts";
import { GradientScale } from "./gradient-scale.ts";
import { graphMatrix } from "../graphs/graph-matrix.ts";
import type { HeadRows } from "./head-statistics.ts";
import { openOnnxDevice } from "../onnx/onnx-device.ts";
import { OnnxGraph } from "../onnx/onnx-graph.ts";
import { loudWeights, TINY } from "../contract/train-engine.fixture.ts";

const ROWS = 7;
const WIDTH = TINY.width;
const VOCABULARY = TINY.vocabularySize;
const NAME = "model.embed_tokens.weight";
const OUTPUTS = ["logProb", "rawLogProb", "entropy", "sumSquaredProb"] as const;

const device = await openOnnxDevice("cpu", 1);
const SCALE = new GradientScale("f32");
const open: ChunkedHead[] = [];
afterEach(async () => {
  for (const head of open.splice(0)) await head.dispose();
});

function headOf(weight: Parameters<typeof graphMatrix>[0], tileLogits: number, tileRows = 512) {
  const load = (bytes: Uint8Array): Promise<OnnxGraph> => OnnxGraph.create(bytes, device);
  const head = new ChunkedHead(graphMatrix(weight), {
    load,
    tileLogits,
    tileRows,
    products: "f32",
  });
  open.push(head);
  return head;
}

function noise(length: number, seed: number): Float32Array {
  return Float32Array.from({ length }, (_, i) => Math.sin(i * 12.9898 + seed) * 1.5);
}

const embedding = loudWeights(TINY).get(NAME) as Tensor;
const hidden = noise(ROWS * WIDTH, 1);
const targets = Int32Array.of(3, 0, 28, 14, 5, 5, 11);

/** Plain, tempered, and tempered with kept sets, a repeated id and candidates that overlap both. */
const CASES: Record<string, HeadRows> = {
  plain: { targets, inverseTemperatures: null, keptTokenIds: null, candidateTokenIds: null },
  tempered: {
    targets,
    inverseTemperatures: Float32Array.of(1, 1.5, 0.5, 2, 1, 1, 0.7),
    keptTokenIds: null,
    candidateTokenIds: null,
  },
  kept: {
    targets,
    inverseTemperatures: Float32Array.of(1, 1, 1, 1, 1, 1, 1),
    keptTokenIds: [[3, 4, 28], null, [28], [14, 0, 1, 14], null, null, [...Array(29).keys()]],
    candidateTokenIds: null,
  },
  everything: {
    targets,
    inverseTemperatures: Float32Array.of(1, 1.5, 0.5, 2, 1, 1, 0.7),
    keptTokenIds: [[3, 4, 28], null, [28, 2], [14, 0, 1], null, [5, 27], null],
    candidateTokenIds: [[3, 9], [7], null, [1, 2, 27], null, [], [11, 10]],
  },
};

/** The same head in float64, over whole rows. */
function plainHead(matrix: Float32Array, states: Float32Array, rows: HeadRows): LogitOutputs {
  const outputs = { logProb: [], rawLogProb: [], entropy: [], sumSquaredProb: [] } as Record<
    (typeof OUTPUTS)[number],
    number[]
  >;
  const candidateLogProbs: (Float32Array | null)[] = [];
  for (let row = 0; row < ROWS; row++) {
    const logits = Array.from({ length: VOCABULARY }, (_, id) => {
      let sum = 0;
      for (let i = 0; i < WIDTH; i++) {
        sum += (states[row * WIDTH + i] as number) * (matrix[id * WIDTH + i] as number);
      }
      return sum;
    });
    const softmax = (values: readonly number[]): number[] => {
      const largest = Math.max(...values);
      const normalizer =
        largest + Math.log(values.reduce((sum, value) => sum + Math.exp(value - largest), 0));
      return values.map((value) => value - normalizer);
    };
    const kept = rows.keptTokenIds?.[row] ?? null;
    const raw = softmax(logits);
    const sampled = softmax(
      logits.map((logit, id) =>
        kept === null || kept.includes(id)
          ? logit * (rows.inverseTemperatures?.[row] ?? 1)
          : -Infinity,
      ),
    );
    const finite = sampled.filter((value) => value !== -Infinity);
    const target = rows.targets[row] as number;
    outputs.logProb.push(sampled[target] as number);
    outputs.rawLogProb.push(raw[target] as number);
    outputs.entropy.push(-finite.reduce((sum, value) => sum + Math.exp(value) * value, 0));
    outputs.sumSquaredProb.push(finite.reduce((sum, value) => sum + Math.exp(2 * value), 0));
    const candidates = rows.candidateTokenIds?.[row] ?? null;
    candidateLogProbs.push(candidates && Float32Array.from(candidates, (id) => raw[id] as number));
  }
  const plain = Object.fromEntries(
    OUTPUTS.map((name) => [name, outputs[name]]),
  ) as unknown as LogitOutputs;
  return { ...plain, candidateLogProbs };
}

function weightedSum(outputs: LogitOutputs, derivatives: LogitDerivatives): number {
  let total = 0;
  for (let row = 0; row < ROWS; row++) {
    for (const name of ["logProb", "rawLogProb", "entropy"] as const) {
      total += (derivatives[name][row] as number) * (outputs[name][row] as number);
    }
    derivatives.candidateLogProbs?.[row]?.forEach((factor, place) => {
      total += factor * (outputs.candidateLogProbs?.[row]?.[place] as number);
    });
  }
  return total;
}

function largestGap(actual: ArrayLike<number>, expected: ArrayLike<number>): number {
  if (actual.length !== expected.length) return Infinity;
  return Math.max(...Array.from(actual, (value, i) => Math.abs(value - (expected[i] as number))));
}

const TILES = [
  ["one tile", 1e6, 512],
  ["tiles of the vocabulary", ROWS * 5, 512],
  ["tiles of rows and vocabulary, down to one id", 2, 2],
] as const;

for (const [name, rows] of Object.entries(CASES)) {
  test.each(TILES)(
    `${name} rows: outputs equal those of a whole softmax, %s`,
    async (_, logits, most) => {
      const expected = plainHead(embedding.data, hidden, rows);
      const outputs = await headOf(embedding, logits, most).outputs(hidden, rows);
      for (const output of OUTPUTS)
        expect(largestGap(outputs[output], expected[output])).toBeLessThan(1e-5);
      expect(outputs.candidateLogProbs === null).toBe(rows.candidateTokenIds === null);
      const flat = (candidates: LogitOutputs["candidateLogProbs"]): number[] =>
        (candidates ?? []).flatMap((values) =>
          values === null ? [Number.MAX_VALUE] : [...values],
        );
      const wholeRows = rows.candidateTokenIds === null ? null : expected.candidateLogProbs;
      expect(largestGap(flat(outputs.candidateLogProbs), flat(wholeRows))).toBeLessThan(1e-5);
    },
  );

  test.each(TILES)(
    `${name} rows: gradients equal central differences, %s`,
    async (_, logits, most) => {
      const derivatives: LogitDerivatives = {
        logProb: noise(ROWS, 2),
        rawLogProb: noise(ROWS, 3),
        entropy: noise(ROWS, 4),
        candidateLogProbs:
          rows.candidateTokenIds?.map((ids, row) => ids && noise(ids.length, 5 + row)) ?? null,
      };
      const weightGradient = new Float32Array(VOCABULARY * WIDTH).fill(1);
      const gradient = await headOf(embedding, logits, most).gradient(
        hidden,
        rows,
        derivatives,
        weightGradient,
        SCALE,
      );
      for (const [data, actual, offset] of [
        [hidden, gradient, 0],
        [embedding.data, weightGradient, 1],
      ] as const) {
        const copy = data.slice();
        const expected = Float64Array.from({ length: 60 }, (_, sample) => {
          const index = (sample * 37) % data.length;
          const at = (step: number): { x: number; y: number } => {
            copy[index] = (data[index] as number) + step;
            const [states, matrix] = data === hidden ? [copy, embedding.data] : [hidden, copy];
            const y = weightedSum(plainHead(matrix, states, rows), derivatives);
            return { x: copy[index] as number, y };
          };
          const [left, right] = [at(-1e-3), at(1e-3)];
          copy[index] = data[index] as number;
          return (right.y - left.y) / (right.x - left.x);
        });
        const sampled = expected.map(
          (__, sample) => (actual[(sample * 37) % data.length] as number) - offset,
        );
        expect(largestGap(sampled, expected)).toBeLessThan(2e-3);
      }
    },
  );
}

test("gradients of single outputs add up, and zero derivatives give zero", async () => {
  const rows = CASES["everything"] as HeadRows;
  const zeros = new Float32Array(ROWS);
  const nothing = { logProb: zeros, rawLogProb: zeros, entropy: zeros, candidateLogProbs: null };
  const head = headOf(embedding, 20);
  const gradient = await head.gradient(hidden, rows, nothing, null, SCALE);
  expect(gradient.every((value) => value === 0)).toBe(true);
  const one = zeros.slice().fill(1);
  const sum = new Float32Array(gradient.length);
  for (const name of ["logProb", "rawLogProb", "entropy"] as const) {
    const part = await head.gradient(hidden, rows, { ...nothing, [name]: one }, null, SCALE);
    part.forEach((value, i) => (sum[i] = (sum[i] as number) + value));
  }
  const all = { ...nothing, logProb: one, rawLogProb: one, entropy: one };
  expect(largestGap(await head.gradient(hidden, rows, all, null, SCALE), sum)).toBeLessThan(1e-5);
});

test("a taken token outside its kept set has probability 0", async () => {
  const rows = { ...(CASES["kept"] as HeadRows), targets: targets.slice().fill(27) };
  const { logProb } = await headOf(embedding, 20).outputs(hidden, rows);
  expect([...logProb].map((value) => value === -Infinity)).toEqual([
    true,
    false,
    true,
    true,
    false,
    false,
    false,
  ]);
});

test.each(["int8", "int4"] as const)(
  "a matrix of an %s base gives the outputs of its dequantized numbers",
  async (format) => {
    const weights = loudWeights(TINY);
    const resident = await readResidentWeights(TINY, tensorMapSource(weights), format);
    const rounded = roundedWeights(TINY, weights, format, "f16").get(NAME) as Tensor;
    const stored = resident.get(NAME);
    if (stored === undefined || !("bits" in stored)) throw new Error("the matrix is not quantized");
    const rows = CASES["everything"] as HeadRows;
    const actual = await headOf(stored, 40).outputs(hidden, rows);
    const expected = plainHead(rounded.data, hidden, rows);
    expect(largestGap(actual.entropy, expected.entropy)).toBeLessThan(1e-5);
    const original = plainHead(embedding.data, hidden, rows);
    // control: rounding is visible
    expect(largestGap(expected.entropy, original.entropy)).toBeGreaterThan(1e-4);
  },
);
