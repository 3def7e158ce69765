import { type TensorMap, seededRandom } from "@waggle/protocol";
import { expect, test } from "vitest";
import { adapterSum } from "./adapter-sums.ts";
import { averaged, sphericallyInterpolated } from "./interpolation.ts";
import { chosenMerge } from "./merge-choice.ts";
import { drawnNames, withTrained } from "./parameter-subsets.ts";
import { orthogonalized } from "./orthogonal.ts";
import { reinforcedMerge } from "./reinforced-merge.ts";
import { withoutTails } from "./sparse-deltas.ts";
import { withOuterStep } from "../losses/imitation/fast-weights.ts";
import { taskVector, withTaskVectors } from "./task-vectors.ts";

const tensors = (data: readonly number[], name: string = "w"): TensorMap =>
  new Map([[name, { shape: [data.length], data: Float32Array.from(data) }]]);
const numbers = (map: TensorMap): number[] => [...map.values()].flatMap(({ data }) => [...data]);
const base = tensors([1, 2, 3, 4]);
const tuned = tensors([1.5, 2, 2, 4]);
const other = tensors([1, 2.5, 2.5, 4]);

test("adding a task vector gives the tuned model; subtracting it gives the mirror", () => {
  const delta = taskVector(tuned, base);
  expect(numbers(delta)).toEqual([0.5, 0, -1, 0]);
  expect(numbers(withTaskVectors(base, [delta], 1))).toEqual(numbers(tuned));
  expect(numbers(withTaskVectors(base, [delta], -1))).toEqual([0.5, 2, 4, 4]);
  const both = withTaskVectors(base, [delta, taskVector(other, base)], 0.5);
  expect(numbers(both)).toEqual([1.25, 2.25, 2.25, 4]);
});

test("a skill vector of reinforcement learning transfers to a sibling", () => {
  const imitated = tensors([1, 1, 1, 1]);
  const reinforced = tensors([1, 1.5, 1, 1]);
  const sibling = tensors([9, 9, 9, 9]);
  const skill = taskVector(reinforced, imitated);
  expect(numbers(withTaskVectors(sibling, [skill], 2))).toEqual([9, 10, 9, 9]);
});

test("every method merges a model with itself to the same model", () => {
  const delta = taskVector(tuned, base);
  const pair = [delta, delta];
  for (const merged of [
    averaged(pair),
    sphericallyInterpolated(delta, delta, 0.3),
    reinforcedMerge(pair),
  ]) {
    for (const [i, value] of numbers(merged).entries()) {
      expect(value).toBeCloseTo(numbers(delta)[i]!, 6);
    }
  }
});

test("plain and weighted averages", () => {
  expect(numbers(averaged([base, tuned]))).toEqual([1.25, 2, 2.5, 4]);
  expect(numbers(averaged([base, tuned], [1, 3]))).toEqual([1.375, 2, 2.25, 4]);
  expect(() => averaged([base, tuned], [0, 0])).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENT" }),
  );
});

test("spherical interpolation keeps lengths, and averaging shortens them", () => {
  const east = tensors([2, 0]);
  const north = tensors([0, 2]);
  const middle = numbers(sphericallyInterpolated(east, north, 0.5));
  expect(middle[0]).toBeCloseTo(Math.SQRT2, 6);
  expect(Math.hypot(...middle)).toBeCloseTo(2, 6);
  expect(Math.hypot(...numbers(averaged([east, north])))).toBeCloseTo(Math.SQRT2, 6);
  const third = numbers(sphericallyInterpolated(east, north, 1 / 3));
  expect(Math.atan2(third[1]!, third[0]!)).toBeCloseTo(Math.PI / 6, 6);
  expect(numbers(sphericallyInterpolated(tensors([0, 0]), north, 0.5))).toEqual([0, 1]);
});

test("breadcrumbs cut both tails", () => {
  const delta = tensors([1, -2, 3, -4, 5, -6, 7, -8, 9, -10]);
  const middle = withoutTails(delta, { smallest: 0.3, largest: 0.2 });
  expect(numbers(middle)).toEqual([0, 0, 0, -4, 5, -6, 7, -8, 0, 0]);
  expect(numbers(withoutTails(delta, { smallest: 0, largest: 0 }))).toEqual(numbers(delta));
  expect(() => withoutTails(delta, { smallest: 2, largest: 0 })).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENT" }),
  );
});

test("RAM: disjoint changes are not shrunk, shared ones are averaged", () => {
  const one = tensors([2, 0, 4, 0]);
  const two = tensors([0, 3, 2, 0]);
  expect(numbers(reinforcedMerge([one, two]))).toEqual([2, 3, 3, 0]);
  expect(numbers(averaged([one, two]))).toEqual([1, 1.5, 3, 0]);
  // Each has one shared change and one that only it has: λ = 1 + 0.5·min(1, 0.4) = 1.2.
  const raised = numbers(reinforcedMerge([one, two], { rescaling: 0.5, limit: 0.4 }));
  expect(raised[0]).toBeCloseTo(2.4, 6);
  expect(raised[2]).toBe(3);
  expect(numbers(reinforcedMerge([tensors([1e-6]), tensors([1])]))).toEqual([1]);
});

test("stacked adapters change a weight by exactly the sum of their changes", () => {
  const matrix = (shape: readonly [number, number], seed: number) => ({
    shape,
    data: Float32Array.from({ length: shape[0] * shape[1] }, (_, i) => Math.sin(seed + i)),
  });
  const adapter = (rank: number, seed: number): TensorMap =>
    new Map([
      ["m.q.lora_A.weight", matrix([rank, 3], seed)],
      ["m.q.lora_B.weight", matrix([2, rank], seed + 9)],
    ]);
  const change = (map: TensorMap, scaling: number): number[] => {
    const a = map.get("m.q.lora_A.weight")!;
    const b = map.get("m.q.lora_B.weight")!;
    const rank = a.shape[0]!;
    return [0, 1].flatMap((row) =>
      [0, 1, 2].map((column) => {
        let sum = 0;
        for (let k = 0; k < rank; k += 1) sum += b.data[row * rank + k]! * a.data[k * 3 + column]!;
        return scaling * sum;
      }),
    );
  };
  const parts = [
    { parameters: adapter(2, 1), scaling: 2, weight: 0.5 },
    { parameters: adapter(3, 5), scaling: 1, weight: -1 },
  ];
  const sum = adapterSum(parts);
  expect(sum.get("m.q.lora_A.weight")!.shape).toEqual([5, 3]);
  const expected = parts.map(({ parameters, scaling, weight }) =>
    change(parameters, scaling * weight),
  );
  for (const [i, value] of change(sum, 1).entries()) {
    expect(value).toBeCloseTo(expected[0]![i]! + expected[1]![i]!, 6);
  }
  const elsewhere = new Map([["m.k.lora_A.weight", matrix([2, 3], 1)]]);
  expect(() => adapterSum([parts[0]!, { ...parts[1]!, parameters: elsewhere }])).toThrow(
    expect.objectContaining({ code: "ADAPTER_INCOMPATIBLE" }),
  );
});

test("a merge below its best parent is refused, and the best other merge is taken", () => {
  expect(chosenMerge({ parents: [0.5, 0.7], merges: [0.6, 0.69] })).toBeNull();
  expect(chosenMerge({ parents: [0.5, 0.7], merges: [0.6, 0.7, 0.9, 0.8] })).toBe(2);
  expect(chosenMerge({ parents: [0.5], merges: [] })).toBeNull();
  expect(chosenMerge({ parents: [0.5], merges: [Number.NaN] })).toBeNull();
});

test("untrained parameters are restored bit for bit", () => {
  const before = new Map([...tensors([1, 2], "a"), ...tensors([3], "b")]);
  const after = new Map([...tensors([9, 9], "a"), ...tensors([9], "b")]);
  expect(numbers(withTrained(before, after, (name) => name === "a"))).toEqual([9, 9, 3]);
  expect(withTrained(before, after, () => false)).toEqual(before);
});

test("half of each block is drawn by seed, and another half at the next draw", () => {
  const names = ["0.q", "0.k", "0.v", "0.o", "1.q", "1.k", "1.v", "1.o"];
  const draw = (start: number): string[] => {
    return [...drawnNames(names, 0.5, (name) => name.slice(0, 1), seededRandom(start))].sort();
  };
  for (const seed of [1, 2, 3]) {
    expect(draw(seed).filter((name) => name.startsWith("0"))).toHaveLength(2);
    expect(draw(seed).filter((name) => name.startsWith("1"))).toHaveLength(2);
    expect(draw(seed)).toEqual(draw(seed));
  }
  expect(new Set([1, 2, 3, 4, 5].map((seed) => draw(seed).join())).size).toBeGreaterThan(1);
});

test("models with other shapes or names are refused", () => {
  expect(() => taskVector(base, tensors([1]))).toThrow(
    expect.objectContaining({ code: "SHAPE_MISMATCH" }),
  );
  expect(() => averaged([base, tensors([1, 2, 3, 4], "v")])).toThrow(
    expect.objectContaining({ code: "SHAPE_MISMATCH" }),
  );
  expect(() => reinforcedMerge([])).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
});

test("orthogonal changes do not interfere; components along earlier ones are removed", () => {
  const changes = [tensors([1, 0, 2, 0]), tensors([2, 1, 4, 0]), tensors([0, 3, 0, 0.5])];
  const [first, second, third] = orthogonalized(changes).map(numbers) as [
    number[],
    number[],
    number[],
  ];
  expect(first).toEqual([1, 0, 2, 0]);
  expect(second).toEqual([0, 1, 0, 0]);
  expect(third).toEqual([0, 0, 0, 0.5]);
  // The control: as they were, they do touch.
  const dot = (a: readonly number[], b: readonly number[]): number =>
    a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
  expect(dot(numbers(changes[0]!), numbers(changes[1]!))).not.toBe(0);
  expect(numbers(orthogonalized([tensors([0, 0]), tensors([1, 2])])[1]!)).toEqual([1, 2]);
});

test("an outer step from fast weights moves the slow ones by as much", () => {
  const stepped = tensors([1.5, 2.5, 2, 3]);
  expect(numbers(withOuterStep(base, tuned, stepped))).toEqual([1, 2.5, 3, 3]);
});
