/**
 * Writes regular files as a gzipped tar archive. Not links, long names or dates.
 * Source: POSIX.1-2024, pax, "ustar Interchange Format".
 */
import { gzipSync } from "node:zlib";

const BLOCK = 512;

/** @param files contents by path; a path has at most 100 bytes. */
export function tarGz(files: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const blocks = [...files].flatMap(([path, content]) => [
    header(path, content.length),
    content,
    new Uint8Array((BLOCK - (content.length % BLOCK)) % BLOCK),
  ]);
  return new Uint8Array(gzipSync(Buffer.concat([...blocks, new Uint8Array(2 * BLOCK)])));
}

function header(path: string, size: number): Uint8Array {
  const block = new Uint8Array(BLOCK);
  const write = (text: string, at: number): void => block.set(new TextEncoder().encode(text), at);
  write(path, 0);
  write("0000644\0", 100);
  write("0000000\0", 108);
  write("0000000\0", 116);
  write(`${size.toString(8).padStart(11, "0")}\0`, 124);
  write("00000000000\0", 136);
  write(" ".repeat(8), 148); // the check sum's own place counts as blanks
  write("0", 156);
  write("ustar\0", 257);
  write("00", 263);
  const sum = block.reduce((total, byte) => total + byte, 0);
  write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}
