import type { Tensor } from "@waggle/protocol";
import { WaggleError } from "@waggle/protocol";
import { expect, test } from "vitest";
import { bfloat16ToFloat32 } from "../weights/bfloat16.fixture.ts";
import { float16ToFloat32 } from "../weights/half-precision.ts";
import { safetensorsHeaderBytes } from "./safetensors-header.ts";
import { readSafetensors, writeSafetensors } from "./safetensors.ts";
import {
  openSafetensors,
  openShardedSafetensors,
  tensorMapSource,
  toFloat32,
} from "./tensor-source.ts";
import type { ByteSource } from "./tensor-source.ts";

/** Counts the bytes read, and returns copies at odd addresses, as chunks of a file may be. */
function counted(bytes: Uint8Array): ByteSource & { readBytes: number } {
  return {
    sizeBytes: bytes.length,
    readBytes: 0,
    read(offset, length) {
      if (offset + length > bytes.length) throw new RangeError("past the end");
      this.readBytes += length;
      return Promise.resolve(
        new Uint8Array([0, ...bytes.subarray(offset, offset + length)]).subarray(1),
      );
    },
  };
}

const tensors = new Map<string, Tensor>([
  ["b", { shape: [3, 2], data: Float32Array.of(1, -2, 0.5, 4, 8, -16) }],
  ["a", { shape: [2], data: Float32Array.of(0.25, 7) }],
]);

test.each(["F32", "F16", "BF16"] as const)(
  "reading tensors of a %s file one by one equals reading the whole file",
  async (dtype) => {
    const bytes = writeSafetensors(tensors, {}, dtype);
    const file = counted(bytes);
    const source = await openSafetensors(file);
    const headerBytes = file.readBytes;
    expect([...source.tensors.keys()]).toEqual(["b", "a"]);
    expect(await source.read("a")).toEqual(readSafetensors(bytes).tensors.get("a"));
    expect(file.readBytes - headerBytes).toBe(2 * (dtype === "F32" ? 4 : 2));
    for (const [name, tensor] of tensors) expect(await source.read(name)).toEqual(tensor);
    const rows = { shape: [2, 2], data: Float32Array.of(0.5, 4, 8, -16) };
    expect(await source.read("b", { begin: 1, end: 3 })).toEqual(rows);
    expect(await tensorMapSource(tensors).read("b", { begin: 1, end: 3 })).toEqual(rows);
  },
);

test("packed bytes are read as stored, and signed ones keep their sign", async () => {
  const described = new Map([
    ["packed", { dtype: "U8", shape: [2, 2] }],
    ["zeros", { dtype: "I8", shape: [2] }],
  ] as const);
  const bytes = new Uint8Array([...safetensorsHeaderBytes(described), 1, 2, 254, 255, 3, 253]);
  const source = await openSafetensors(counted(bytes));
  expect(await source.readBytes("packed", { begin: 1, end: 2 })).toEqual(Uint8Array.of(254, 255));
  expect((await source.read("packed")).data).toEqual(Float32Array.of(1, 2, 254, 255));
  expect((await source.read("zeros")).data).toEqual(Float32Array.of(3, -3));
});

test("all 16-bit floats convert like the plain conversion", () => {
  const halves = Uint16Array.from({ length: 65536 }, (_, half) => half);
  const bytes = new Uint8Array(halves.buffer);
  expect(toFloat32(bytes, "F16")).toEqual(Float32Array.from(halves, float16ToFloat32));
  expect(toFloat32(bytes, "BF16")).toEqual(Float32Array.from(halves, bfloat16ToFloat32));
});

test("shards form one source, and a name missing in its shard is refused as corrupt", async () => {
  const shards = new Map([
    ["1.safetensors", writeSafetensors(new Map([["b", tensors.get("b") as Tensor]]))],
    ["2.safetensors", writeSafetensors(new Map([["a", tensors.get("a") as Tensor]]))],
  ]);
  const open = (map: Record<string, string>) =>
    openShardedSafetensors(
      new TextEncoder().encode(JSON.stringify({ metadata: {}, weight_map: map })),
      (path) => Promise.resolve(counted(shards.get(path) as Uint8Array)),
    );
  const source = await open({ a: "2.safetensors", b: "1.safetensors" });
  for (const [name, tensor] of tensors) expect(await source.read(name)).toEqual(tensor);
  const error = await open({ a: "1.safetensors" }).catch((e: unknown) => e);
  expect(WaggleError.is(error, "MODEL_CORRUPT")).toBe(true);
});

test("a missing tensor and missing rows are refused as corrupt", async () => {
  const source = await openSafetensors(counted(writeSafetensors(tensors)));
  for (const read of [source.read("c"), source.read("b", { begin: 2, end: 4 })]) {
    const error = await read.catch((e: unknown) => e);
    expect(WaggleError.is(error, "MODEL_CORRUPT")).toBe(true);
  }
  const broken = counted(writeSafetensors(tensors).subarray(0, 60));
  expect(
    WaggleError.is(await openSafetensors(broken).catch((e: unknown) => e), "MODEL_CORRUPT"),
  ).toBe(true);
});
