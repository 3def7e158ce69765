/** onnxruntime's WebAssembly module as memory and program, run in Node as workers run it. */
import { OnnxGraphBuilder } from "@waggle/model";
import type { OnnxModel } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import createModule from "onnxruntime-web/ort-wasm-simd-threaded.mjs";
import { expect, test } from "vitest";
import type { CpuBuffer, CpuDevice, Operand } from "./cpu-device.ts";
import { createWasmDevice } from "./wasm-device.ts";

/** `y = x + w` over `[n]`, with `w` of 4 numbers. */
function addition(): OnnxModel {
  const graph = new OnnxGraphBuilder();
  const x = graph.input("x", "f32", ["n"]);
  graph.initializer("w", "f32", [4], Float32Array.of(1, 2, 3, 4));
  graph.node("Add", [x, "w"], { outputs: ["y"] });
  graph.output("y", "f32", ["n"]);
  return { model: graph.build(), externalData: [] };
}

const operand = (name: string, buffer: CpuBuffer, offset = 0, size = 4): Operand => ({
  name,
  buffer,
  offset,
  type: "f32",
  shape: [size],
});

const thrown = (fn: () => unknown): unknown => {
  try {
    return fn();
  } catch (error) {
    return error;
  }
};

test("a bound run reads and writes its tensors in place, overlapping ones too, without a promise", async () => {
  const device = await createWasmDevice(1, createModule);
  const program = await device.load(addition());
  const buffer = device.allocate(64);
  buffer.floats(0, 8).set([10, 20, 30, 40, 0, 0, 0, 0]);
  const apart = program.bind([operand("x", buffer)], [operand("y", buffer, 16)]);
  expect(apart.execute()).toBeUndefined();
  expect([...buffer.floats(16, 4)]).toEqual([11, 22, 33, 44]);
  const inPlace = program.bind([operand("x", buffer)], [operand("y", buffer)]);
  for (let time = 0; time < 3; time++) expect(inPlace.execute()).toBeUndefined();
  expect([...buffer.floats(0, 4)]).toEqual([13, 26, 39, 52]);
  apart.release();
  inPlace.release();
  await program.release();
  device.dispose();
});

test("numbers survive growth of the heap", async () => {
  const device = await createWasmDevice(1, createModule);
  const small = device.allocate(16);
  small.floats(0, 4).set([1, 2, 3, 4]);
  const large = device.allocate(100 * 2 ** 20);
  large.floats(99 * 2 ** 20, 2).set([5, 6]);
  large.copyFrom(small, 0, 99 * 2 ** 20 + 8, 16);
  expect([...large.floats(99 * 2 ** 20, 6)]).toEqual([5, 6, 1, 2, 3, 4]);
  device.dispose();
});

test("a full heap is a retryable error and leaves the module usable", async () => {
  const device = await createWasmDevice(1, createModule);
  const held: CpuBuffer[] = [];
  const error = thrown(() => {
    for (let count = 0; count < 8; count++) held.push(device.allocate(2 ** 30));
  });
  expect(WaggleError.is(error, "OUT_OF_MEMORY") && error.retryable).toBe(true);
  expect(held.length).toBeGreaterThan(1);
  for (const buffer of held) buffer.free();
  const program = await device.load(addition());
  const buffer = device.allocate(32);
  buffer.floats(0, 4).fill(1);
  const run = program.bind([operand("x", buffer)], [operand("y", buffer, 16)]);
  expect(run.execute()).toBeUndefined();
  expect([...buffer.floats(16, 4)]).toEqual([2, 3, 4, 5]);
  device.dispose();
});

test("invalid model bytes and a failed run are reported with the library's message", async () => {
  const device = await createWasmDevice(1, createModule);
  const refused = await device
    .load({ model: new TextEncoder().encode("no model"), externalData: [] })
    .catch((error: unknown) => error);
  expect(WaggleError.is(refused, "MODEL_UNSUPPORTED")).toBe(true);
  const program = await device.load(addition());
  const buffer = device.allocate(64);
  const run = program.bind([operand("x", buffer, 0, 3)], [operand("y", buffer, 16, 3)]);
  const failed = thrown(() => run.execute());
  expect(WaggleError.is(failed, "INTERNAL")).toBe(true);
  device.dispose();
});

test("a module that trapped is lost and is not called again", async () => {
  const device = await createWasmDevice(1, createModule);
  const program = await device.load(addition());
  const buffer = device.allocate(32);
  const run = program.bind([operand("x", buffer)], [operand("y", buffer, 16)]);
  breakMemory(device);
  const lost = thrown(() => run.execute());
  expect(WaggleError.is(lost, "DEVICE_LOST") && lost.retryable).toBe(true);
  expect(
    WaggleError.is(
      thrown(() => device.allocate(8)),
      "DEVICE_LOST",
    ),
  ).toBe(true);
  // Releasing must not call the module.
  run.release();
  buffer.free();
  await program.release();
  device.dispose();
});

/** Overwrites the module's memory, so that the next call follows wild pointers. */
function breakMemory(device: CpuDevice): void {
  const buffer = device.allocate(4);
  const heap = new Uint32Array(buffer.floats(0, 1).buffer);
  heap.fill(0xff_ff_ff_f0);
}
