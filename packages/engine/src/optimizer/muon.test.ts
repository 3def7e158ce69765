/** Muon's update against a plain twin, and its polynomial against singular values. */
import { mulberry32 } from "@waggle/protocol";
import { toBeAllClose, TOLERANCE } from "@waggle/testing";
import { expect, test } from "vitest";
import { openOnnxDevice } from "../onnx/onnx-device.ts";
import { Orthogonalizer } from "../onnx/orthogonalizer.ts";
import { isMuonMatrix, muonStep, NEWTON_SCHULZ, type Orthogonalize } from "./muon.ts";

expect.extend({ toBeAllClose });

type Matrix = readonly (readonly number[])[];

const transpose = (m: Matrix): Matrix => (m[0] ?? []).map((_, i) => m.map((row) => row[i] ?? 0));
const multiply = (a: Matrix, b: Matrix): Matrix =>
  a.map((row) =>
    transpose(b).map((column) => row.reduce((sum, x, i) => sum + x * (column[i] ?? 0), 0)),
  );
const combine = (a: number, x: Matrix, b: number, y: Matrix): Matrix =>
  x.map((row, i) => row.map((value, j) => a * value + b * (y[i]?.[j] ?? 0)));
const norm = (m: Matrix): number => Math.hypot(...m.flat());
const reshape = (data: ArrayLike<number>, columns: number): Matrix =>
  Array.from({ length: data.length / columns }, (_, i) =>
    Array.from({ length: columns }, (__, j) => data[i * columns + j] ?? 0),
  );

/** The slow twin, in float64: x ← a·x + (b·xxᵀ + c·(xxᵀ)²)·x. */
function orthogonal(matrix: Matrix): Matrix {
  const { a, b, c, steps } = NEWTON_SCHULZ;
  let x = combine(1 / norm(matrix), matrix, 0, matrix);
  for (let step = 0; step < steps; step += 1) {
    const square = multiply(x, transpose(x));
    const polynomial = combine(b, square, c, multiply(square, square));
    x = combine(a, x, 1, multiply(polynomial, x));
  }
  return x;
}

const twin: Orthogonalize = ({ data, count, rows, columns }) =>
  Promise.resolve(
    Float32Array.from(
      Array.from({ length: count }, (_, i) =>
        orthogonal(reshape(data.subarray(i * rows * columns, (i + 1) * rows * columns), columns)),
      ).flat(2),
    ),
  );

function noise(length: number, seed: number): Float32Array {
  const random = mulberry32(seed);
  return Float32Array.from({ length }, () => random() - 0.5);
}

const onOnnx = new Orthogonalizer(await openOnnxDevice("cpu", 2));

test("the graph equals the twin for several matrices at once", async () => {
  const [count, rows, columns] = [3, 6, 10];
  const size = rows * columns;
  const data = noise(count * size, 1);
  for (let i = 0; i < count; i += 1) {
    const part = data.subarray(i * size, (i + 1) * size);
    part.set(part.map((value) => value / Math.hypot(...part)));
  }
  const batch = { data, count, rows, columns };
  expect(await onOnnx.run(batch)).toBeAllClose([...(await twin(batch))], TOLERANCE.f32);
});

test("singular values become about 1, and directions stay", async () => {
  // U and V are rotations, so the singular values are those of the diagonal.
  const rotation = (angle: number): Matrix => [
    [Math.cos(angle), -Math.sin(angle)],
    [Math.sin(angle), Math.cos(angle)],
  ];
  const [u, v] = [rotation(0.7), rotation(-1.9)];
  const values = [0.95, Math.sqrt(1 - 0.95 ** 2)];
  const diagonal: Matrix = [
    [values[0] ?? 0, 0],
    [0, values[1] ?? 0],
  ];
  const matrix = multiply(multiply(u, diagonal), transpose(v));
  const data = Float32Array.from(matrix.flat());
  const result = reshape(await onOnnx.run({ data, count: 1, rows: 2, columns: 2 }), 2);
  const inside = multiply(multiply(transpose(u), result), v);
  const { a, b, c, steps } = NEWTON_SCHULZ;
  for (const [i, value] of values.entries()) {
    let expected = value;
    for (let step = 0; step < steps; step += 1) {
      expected = a * expected + b * expected ** 3 + c * expected ** 5;
    }
    expect(inside[i]?.[i]).toBeCloseTo(expected, 4);
    expect(inside[i]?.[1 - i]).toBeCloseTo(0, 4);
    expect(expected).toBeGreaterThan(0.65);
    expect(expected).toBeLessThan(1.25);
  }
});

test("two steps equal the formulas, for wide and tall matrices", async () => {
  const options = { learningRate: 0.1, weightDecay: 0.2, gradientScale: 0.5 };
  const shapes = [
    [4, 6],
    [6, 4],
    [4, 6],
  ] as const;
  const slots = shapes.map(([rows, columns], i) => ({
    name: String(i),
    parameter: { shape: [rows, columns], data: noise(rows * columns, 10 + i) },
    momentum: new Float32Array(rows * columns),
  }));
  const expected = slots.map(({ parameter }) => ({
    weights: reshape(parameter.data, parameter.shape[1] ?? 1),
    momentum: reshape(new Float32Array(24), parameter.shape[1] ?? 1),
  }));
  for (const step of [0, 1]) {
    const gradients = new Map(slots.map(({ name }, i) => [name, noise(24, 20 + 3 * step + i)]));
    await muonStep(slots, gradients, options, onOnnx.run);
    for (const [i, one] of expected.entries()) {
      const [rows, columns] = shapes[i] ?? [1, 1];
      const gradient = reshape(gradients.get(String(i)) ?? [], columns);
      one.momentum = combine(0.95, one.momentum, 0.05 * 0.5, gradient);
      const ahead = combine(0.95, one.momentum, 0.05 * 0.5, gradient);
      const update = rows <= columns ? orthogonal(ahead) : transpose(orthogonal(transpose(ahead)));
      one.weights = combine(1 - 0.1 * 0.2, one.weights, -0.1 * 0.2 * Math.sqrt(6), update);
    }
  }
  for (const [i, { parameter, momentum }] of slots.entries()) {
    expect(parameter.data).toBeAllClose([...(expected[i]?.weights ?? [])].flat(), TOLERANCE.f32);
    expect(momentum).toBeAllClose([...(expected[i]?.momentum ?? [])].flat(), TOLERANCE.f32);
  }
});

test("a matrix without a gradient decays and does not become NaN", async () => {
  const data = noise(6, 3);
  const slot = { name: "m", parameter: { shape: [2, 3], data }, momentum: new Float32Array(6) };
  const before = [...data];
  const options = { learningRate: 0.1, weightDecay: 0.5, gradientScale: 1 };
  await muonStep([slot], new Map(), options, onOnnx.run);
  expect(data).toBeAllClose(
    before.map((value) => value * 0.95),
    TOLERANCE.f32,
  );
});

test("Muon takes the matrices of layers, and neither embeddings nor gains", () => {
  const named = (name: string, shape: readonly number[] = [2, 2]) =>
    isMuonMatrix(name, { shape, data: new Float32Array() });
  expect(named("model.layers.3.mlp.up_proj.weight")).toBe(true);
  expect(named("model.layers.3.input_layernorm.weight", [2])).toBe(false);
  expect(named("model.embed_tokens.weight")).toBe(false);
  expect(named("lm_head.weight")).toBe(false);
});
