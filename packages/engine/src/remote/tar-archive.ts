/**
 * Reads the regular files of a tar archive, gzipped or not, as Python's `tarfile` writes them. Skips
 * links, devices and sparse files.
 * Source: POSIX.1-2024, pax, "ustar Interchange Format" and "pax Header Block".
 */
import { gunzipSync } from "node:zlib";
import { WaggleError } from "@waggle/protocol";

const BLOCK = 512;

/**
 * Contents by path, without a leading `./`.
 * @param limitBytes maximum size of the unpacked archive.
 * @throws WaggleError `MODEL_CORRUPT` if the archive is truncated or broken.
 */
export function readTar(archive: Uint8Array, limitBytes: number): Map<string, Uint8Array> {
  const bytes = isGzip(archive) ? unzip(archive, limitBytes) : archive;
  const files = new Map<string, Uint8Array>();
  let longName: string | null = null;
  for (let offset = 0; offset + BLOCK <= bytes.length;) {
    const header = bytes.subarray(offset, offset + BLOCK);
    if (header.every((byte) => byte === 0)) return files;
    checkSum(header);
    const size = octal(header, 124, 12);
    const start = offset + BLOCK;
    const content = bytes.subarray(start, start + size);
    if (content.length < size) throw corrupt(`only ${content.length} of ${size} bytes of a file`);
    const type = String.fromCharCode(header[156] as number);
    if (type === "x") longName = paxPath(content) ?? longName;
    else {
      if (type === "0" || type === "\0") files.set(toPath(longName ?? nameOf(header)), content);
      longName = null;
    }
    offset = start + Math.ceil(size / BLOCK) * BLOCK;
  }
  throw corrupt("no end marker");
}

function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

function unzip(bytes: Uint8Array, limitBytes: number): Uint8Array {
  try {
    return new Uint8Array(gunzipSync(bytes, { maxOutputLength: limitBytes }));
  } catch (error) {
    throw corrupt(error instanceof Error ? error.message.slice(0, 100) : "broken gzip");
  }
}

/** Checks the sum of a header's bytes, in which the sum itself counts as eight blanks. */
function checkSum(header: Uint8Array): void {
  const sum = header.reduce((total, byte, i) => total + (i >= 148 && i < 156 ? 32 : byte), 0);
  if (sum !== octal(header, 148, 8)) throw corrupt("a wrong header checksum");
}

function nameOf(header: Uint8Array): string {
  const prefix = text(header, 345, 155);
  const name = text(header, 0, 100);
  return text(header, 257, 5) === "ustar" && prefix !== "" ? `${prefix}/${name}` : name;
}

/** `path` of a pax header: records of `length key=value\n`. */
function paxPath(content: Uint8Array): string | null {
  return /^\d+ path=(.*)$/m.exec(new TextDecoder().decode(content))?.[1] ?? null;
}

function toPath(name: string): string {
  return name.replace(/^\.\//, "");
}

function octal(header: Uint8Array, start: number, length: number): number {
  const digits = text(header, start, length).trim();
  const value = Number.parseInt(digits, 8);
  if (!/^[0-7]+$/.test(digits) || !Number.isSafeInteger(value)) {
    throw corrupt("a number that is not octal");
  }
  return value;
}

function text(header: Uint8Array, start: number, length: number): string {
  const field = header.subarray(start, start + length);
  const end = field.indexOf(0);
  return new TextDecoder().decode(end === -1 ? field : field.subarray(0, end));
}

function corrupt(found: string): WaggleError {
  return new WaggleError(
    "MODEL_CORRUPT",
    `the archive of weights is damaged: ${found}; save the weights again`,
  );
}
