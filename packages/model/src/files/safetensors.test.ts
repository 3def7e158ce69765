import { WaggleError } from "@waggle/protocol";
import type { Tensor } from "@waggle/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { bfloat16ToFloat32 } from "../weights/bfloat16.fixture.ts";
import {
  float16ToFloat32,
  float32ToBfloat16,
  float32ToFloat16,
} from "../weights/half-precision.ts";
import { readSafetensors, readShardedSafetensors, writeSafetensors } from "./safetensors.ts";

const tensor = (shape: number[], ...data: number[]): Tensor => ({
  shape,
  data: Float32Array.from(data),
});

function file(header: unknown, data: number[] = []): Uint8Array {
  const text = new TextEncoder().encode(JSON.stringify(header));
  const bytes = new Uint8Array(8 + text.length + data.length);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(text.length), true);
  bytes.set(text, 8);
  bytes.set(data, 8 + text.length);
  return bytes;
}

function isCorrupt(bytes: Uint8Array): boolean {
  try {
    readSafetensors(bytes);
    return false;
  } catch (error) {
    if (WaggleError.is(error, "MODEL_CORRUPT")) return true;
    throw error;
  }
}

test("names, shapes, values and metadata read back as written", () => {
  const tensors = new Map([
    ["b", tensor([2, 2], 1, -2, 0.5, 3e-8)],
    ["a", tensor([], 7)],
    ["empty", tensor([0, 3])],
  ]);
  // an odd offset, as in a slice of a larger download
  const bytes = new Uint8Array([0, ...writeSafetensors(tensors, { format: "pt" })]).subarray(1);
  const back = readSafetensors(bytes);
  expect([...back.tensors]).toEqual([...tensors]);
  expect(back.metadata).toEqual({ format: "pt" });
});

test("a file has the bytes that the format specifies", () => {
  const bytes = writeSafetensors(new Map([["x", tensor([1], 1)]]));
  const text = '{"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}';
  expect(new DataView(bytes.buffer).getBigUint64(0, true)).toBe(56n);
  expect(new TextDecoder().decode(bytes.subarray(8, 64)).trimEnd()).toBe(text);
  expect([...bytes.subarray(64)]).toEqual([0, 0, 0x80, 0x3f]);
});

const halves = Array.from({ length: 65536 }, (_, half) => half);

test("every float16 and bfloat16 number survives conversion to float32 and back", () => {
  const changed = (to: (half: number) => number, from: (value: number) => number): number[] =>
    halves.filter((half) => !Number.isNaN(to(half)) && from(to(half)) !== half);
  expect(changed(float16ToFloat32, float32ToFloat16)).toEqual([]);
  expect(changed(bfloat16ToFloat32, float32ToBfloat16)).toEqual([]);
  expect(float16ToFloat32(float32ToFloat16(NaN))).toBeNaN();
  expect(bfloat16ToFloat32(float32ToBfloat16(NaN))).toBeNaN();
});

test("a number between two float16 numbers is rounded to the nearer one", () => {
  fc.assert(
    fc.property(fc.float({ min: Math.fround(1e-9), max: 65500, noNaN: true }), (value) => {
      const half = float32ToFloat16(value);
      const error = (candidate: number): number => Math.abs(float16ToFloat32(candidate) - value);
      expect(error(half)).toBeLessThanOrEqual(error(half + 1));
      expect(error(half)).toBeLessThanOrEqual(error(Math.max(half - 1, 0)));
    }),
  );
});

test("half precision files hold the rounded values", () => {
  const tensors = new Map([["x", tensor([3], 1, 1 / 3, -70000)]]);
  const f16 = readSafetensors(writeSafetensors(tensors, {}, "F16")).tensors.get("x");
  expect(f16).toEqual(tensor([3], 1, 0.333251953125, -Infinity));
  const bf16 = readSafetensors(writeSafetensors(tensors, {}, "BF16")).tensors.get("x");
  expect(bf16).toEqual(tensor([3], 1, 0.333984375, -70144));
});

const x = { dtype: "F32", shape: [1], data_offsets: [0, 4] };
const hostile: [string, Uint8Array][] = [
  ["nothing", new Uint8Array(0)],
  ["a header past the end", Uint8Array.of(255, 0, 0, 0, 0, 0, 0, 0, 123, 125)],
  ["a huge header length", new Uint8Array(16).fill(255)],
  ["a header that is not JSON", Uint8Array.of(2, 0, 0, 0, 0, 0, 0, 0, 123, 123)],
  ["a header that is not an object", file([])],
  ["an unknown type", file({ x: { ...x, dtype: "I64" } }, [0, 0, 0, 0])],
  ["a negative size", file({ x: { ...x, shape: [-1] } }, [0, 0, 0, 0])],
  ["a shape that overflows", file({ x: { ...x, shape: [2 ** 52, 2 ** 52] } }, [0, 0, 0, 0])],
  ["offsets past the end", file({ x: { ...x, shape: [2], data_offsets: [0, 8] } }, [0, 0, 0, 0])],
  ["offsets backwards", file({ x: { ...x, data_offsets: [4, 0] } }, [0, 0, 0, 0])],
  ["overlapping tensors", file({ x, y: x }, [0, 0, 0, 0])],
  ["a gap", file({ x: { ...x, data_offsets: [4, 8] } }, [0, 0, 0, 0, 0, 0, 0, 0])],
  ["bytes after the end", file({ x }, [0, 0, 0, 0, 1])],
  ["metadata that is not a string", file({ __metadata__: { a: 1 } })],
];
test.each(hostile)("%s is refused as corrupt", (_, bytes) => {
  expect(isCorrupt(bytes)).toBe(true);
});

test("on a damaged file the reader throws only MODEL_CORRUPT", () => {
  const good = writeSafetensors(new Map([["x", tensor([2, 3], 1, 2, 3, 4, 5, 6)]]), { a: "b" });
  fc.assert(
    fc.property(fc.nat(good.length - 1), fc.nat(255), fc.nat(good.length), (at, byte, length) => {
      const bad = good.slice();
      bad[at] = byte;
      isCorrupt(bad);
      isCorrupt(bad.subarray(0, length));
    }),
  );
});

test("a checkpoint in several files is read by its index", async () => {
  const files = new Map([
    ["one.safetensors", writeSafetensors(new Map([["a", tensor([1], 1)]]))],
    ["two.safetensors", writeSafetensors(new Map([["b", tensor([1], 2)]]))],
  ]);
  const index = (map: object): Uint8Array =>
    new TextEncoder().encode(JSON.stringify({ weight_map: map }));
  const read = async (path: string): Promise<Uint8Array> => files.get(path)!;
  const whole = await readShardedSafetensors(
    index({ b: "two.safetensors", a: "one.safetensors" }),
    read,
  );
  expect(whole.get("a")).toEqual(tensor([1], 1));
  expect(whole.get("b")).toEqual(tensor([1], 2));
  await expect(readShardedSafetensors(index({ c: "one.safetensors" }), read)).rejects.toThrow(
    /"c"/,
  );
  await expect(readShardedSafetensors(index({ a: "../secret" }), read)).rejects.toThrow(/plain/);
});
