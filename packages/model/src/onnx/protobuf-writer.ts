/**
 * Writes protobuf messages field by field, with only the types that ONNX has. Libraries are several
 * times the size, and every page loads this.
 * Source: protobuf.dev/programming-guides/encoding.
 */

// wire types
const VARINT = 0;
const BYTES = 2;
const FIXED32 = 5;

const TEXT = new TextEncoder();

export class ProtobufWriter {
  #bytes = new Uint8Array(1024);
  #length = 0;

  /** An int32, int64, uint32 or enum: a safe integer. */
  int(field: number, value: number): void {
    this.#varint(field * 8 + VARINT);
    if (value >= 0) this.#varint(value);
    else this.#negative(value);
  }

  float(field: number, value: number): void {
    this.#varint(field * 8 + FIXED32);
    const at = this.#grow(4);
    new DataView(this.#bytes.buffer).setFloat32(at, value, true);
  }

  string(field: number, text: string): void {
    const bytes = TEXT.encode(text);
    this.head(field, bytes.length);
    const at = this.#grow(bytes.length);
    this.#bytes.set(bytes, at);
  }

  /** Writes tag and length of bytes or a message that are written elsewhere. */
  head(field: number, sizeBytes: number): void {
    this.#varint(field * 8 + BYTES);
    this.#varint(sizeBytes);
  }

  /** Writes a message with the fields that `write` writes with this writer. */
  message(field: number, write: () => void): void {
    const start = this.#length;
    write();
    const end = this.#length;
    this.head(field, end - start);
    // The head goes before the bytes already written.
    const head = this.#bytes.slice(end, this.#length);
    this.#bytes.copyWithin(start + head.length, start, end);
    this.#bytes.set(head, start);
  }

  /** Returns the bytes written so far and empties the writer. */
  finish(): Uint8Array {
    const bytes = this.#bytes.slice(0, this.#length);
    this.#length = 0;
    return bytes;
  }

  #varint(value: number): void {
    let rest = value;
    for (; rest > 127; rest = Math.floor(rest / 128)) {
      const at = this.#grow(1);
      this.#bytes[at] = (rest % 128) | 128;
    }
    const at = this.#grow(1);
    this.#bytes[at] = rest;
  }

  /** Two's complement of 64 bits, in 10 bytes. */
  #negative(value: number): void {
    let rest = BigInt.asUintN(64, BigInt(value));
    for (; rest > 127n; rest >>= 7n) {
      const at = this.#grow(1);
      this.#bytes[at] = Number(rest & 127n) | 128;
    }
    const at = this.#grow(1);
    this.#bytes[at] = Number(rest);
  }

  /** @returns the offset for the next `count` bytes. */
  #grow(count: number): number {
    const at = this.#length;
    this.#length += count;
    if (this.#length > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(this.#length, this.#bytes.length * 2));
      larger.set(this.#bytes.subarray(0, at));
      this.#bytes = larger;
    }
    return at;
  }
}
