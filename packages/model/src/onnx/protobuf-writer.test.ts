/** Compares with protobuf-es' writer, which shares no code with this one. */
import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { expect, test } from "vitest";
import { ProtobufWriter } from "./protobuf-writer.ts";

const INTEGERS = [0, 1, 127, 128, 16_383, 16_384, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 53 - 1];

test("integers of every size and sign are encoded as int64", () => {
  const writer = new ProtobufWriter();
  const peer = new BinaryWriter();
  for (const value of [...INTEGERS, ...INTEGERS.map((each) => -each)]) {
    for (const field of [1, 15, 16, 2047, 2048]) {
      writer.int(field, value + 0);
      peer.uint32(field << 3).int64(value);
    }
  }
  expect(writer.finish()).toEqual(peer.finish());
});

test("floats, strings and heads are encoded correctly, also beyond the first buffer", () => {
  const writer = new ProtobufWriter();
  const peer = new BinaryWriter();
  for (const text of ["", "a", "Größe € 𝄞", "x".repeat(3000)]) {
    writer.string(2, text);
    peer.uint32((2 << 3) | 2).string(text);
    writer.float(3, text.length / 3);
    peer.uint32((3 << 3) | 5).float(text.length / 3);
    writer.head(9, text.length);
    peer.uint32((9 << 3) | 2).uint32(text.length);
  }
  expect(writer.finish()).toEqual(peer.finish());
});

test("messages can be nested, empty, and longer than the buffer", () => {
  const writer = new ProtobufWriter();
  const peer = new BinaryWriter();
  const nest = (depth: number): void => {
    writer.int(1, depth);
    peer.uint32(1 << 3).int64(depth);
    writer.message(2, () => {
      peer.uint32((2 << 3) | 2).fork();
      if (depth > 0) nest(depth - 1);
      writer.string(3, "y".repeat(depth * 200));
      peer.uint32((3 << 3) | 2).string("y".repeat(depth * 200));
    });
    peer.join();
    writer.message(4, () => undefined);
    peer
      .uint32((4 << 3) | 2)
      .fork()
      .join();
  };
  nest(6);
  expect(writer.finish()).toEqual(peer.finish());
  expect(writer.finish()).toEqual(new Uint8Array(0));
});
