/**
 * TensorBoard event files, scalars only: protocol buffer records, each with its length and two
 * checksums. Written here because the npm packages for it depend on TensorFlow or are unmaintained.
 *
 * Source: TensorFlow, "TFRecord" (`tensorflow/core/lib/io/record_writer.h`), `event.proto`,
 * `summary.proto`; the checksum is CRC-32C (RFC 3720, B.4), masked.
 */

/** Finite numbers by tag, such as `train/loss`. */
export type Scalars = { readonly [tag: string]: number };

/**
 * The first record of every file.
 * @param wallTime - seconds since 1970, here and below.
 */
export function fileVersionRecord(wallTime: number): Uint8Array {
  return record([...double(1, wallTime), ...bytes(3, text("brain.Event:2"))]);
}

/** A record with the scalars of one step. */
export function scalarsRecord(wallTime: number, step: number, scalars: Scalars): Uint8Array {
  const values = Object.entries(scalars).flatMap(([tag, value]) =>
    bytes(1, [...bytes(1, text(tag)), ...float(2, value)]),
  );
  return record([...double(1, wallTime), ...integer(2, step), ...bytes(5, values)]);
}

/** Marks a resume at this step: TensorBoard discards earlier records of this and later steps. */
export function restartRecord(wallTime: number, step: number): Uint8Array {
  const START = 1;
  return record([...double(1, wallTime), ...integer(2, step), ...bytes(7, integer(1, START))]);
}

const FIXED64 = 1;
const DELIMITED = 2;
const FIXED32 = 5;

function varint(value: number): number[] {
  const encoded: number[] = [];
  let rest = value;
  while (rest >= 128) {
    encoded.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  return [...encoded, rest];
}

function key(field: number, wireType: number): number[] {
  return varint(field * 8 + wireType);
}

/** Zero is the protocol buffer default and is left out. */
function integer(field: number, value: number): number[] {
  return value === 0 ? [] : [...key(field, 0), ...varint(value)];
}

function bytes(field: number, content: readonly number[]): number[] {
  return [...key(field, DELIMITED), ...varint(content.length), ...content];
}

function double(field: number, value: number): number[] {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value, true);
  return [...key(field, FIXED64), ...new Uint8Array(view.buffer)];
}

function float(field: number, value: number): number[] {
  const view = new DataView(new ArrayBuffer(4));
  view.setFloat32(0, value, true);
  return [...key(field, FIXED32), ...new Uint8Array(view.buffer)];
}

function text(value: string): number[] {
  return [...new TextEncoder().encode(value)];
}

/** Length, its checksum, content, its checksum. */
function record(content: readonly number[]): Uint8Array {
  const whole = new Uint8Array(8 + 4 + content.length + 4);
  const view = new DataView(whole.buffer);
  view.setBigUint64(0, BigInt(content.length), true);
  view.setUint32(8, maskedChecksum(whole.subarray(0, 8)), true);
  whole.set(content, 12);
  view.setUint32(12 + content.length, maskedChecksum(Uint8Array.from(content)), true);
  return whole;
}

/** The checksum of data that contains checksums would be weak, so it is rotated and offset. */
function maskedChecksum(data: Uint8Array): number {
  const checksum = crc32c(data);
  return (((checksum >>> 15) | (checksum << 17)) + 0xa282_ead8) >>> 0;
}

/** The Castagnoli polynomial, bit-reversed. */
const POLYNOMIAL = 0x82f6_3b78;

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit += 1) rest = rest & 1 ? (rest >>> 1) ^ POLYNOMIAL : rest >>> 1;
  return rest >>> 0;
});

function crc32c(data: Uint8Array): number {
  let rest = 0xffff_ffff;
  for (const byte of data) rest = (TABLE[(rest ^ byte) & 0xff] as number) ^ (rest >>> 8);
  return (rest ^ 0xffff_ffff) >>> 0;
}
