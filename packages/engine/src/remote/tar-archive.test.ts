import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { readTar } from "./tar-archive.ts";

const golden = JSON.parse(
  readFileSync(new URL("./tar-archive.golden.json", import.meta.url), "utf8"),
) as { readonly archive: string; readonly files: { readonly [path: string]: string } };
const gzipped = new Uint8Array(Buffer.from(golden.archive, "base64"));
const plain = new Uint8Array(gunzipSync(gzipped));
const LIMIT = 1e6;

test.each([
  ["gzipped", gzipped],
  ["plain", plain],
])("a %s archive of Python's tarfile yields its regular files", (_, archive) => {
  const files = readTar(archive, LIMIT);
  const expected = Object.entries(golden.files).map(([path, content]): [string, Uint8Array] => [
    path,
    new Uint8Array(Buffer.from(content, "base64")),
  ]);
  const byName = (a: [string, unknown], b: [string, unknown]): number => a[0].localeCompare(b[0]);
  expect([...files].sort(byName)).toEqual(expected.sort(byName));
});

test("a ustar prefix and name are joined to one path", () => {
  const archive = withHeader((header) => header.set(new TextEncoder().encode("a/b"), 345));
  expect([...readTar(archive, LIMIT).keys()]).toEqual(["a/b/x.txt"]);
});

test("an archive that is truncated, altered or above the size limit is refused", () => {
  const broken = [
    gzipped.subarray(0, 100),
    plain.subarray(0, plain.findLastIndex((byte) => byte !== 0) - 200),
    withHeader((header) => header.set([0x78], 200)).fill(1, 3, 4),
    withHeader((header) => header.set(new TextEncoder().encode("9x"), 124)),
  ];
  for (const archive of broken) {
    expect(() => readTar(archive, LIMIT)).toThrow(
      expect.objectContaining({ code: "MODEL_CORRUPT" }) as Error,
    );
  }
  expect(() => readTar(gzipped, 2000)).toThrow(
    expect.objectContaining({ code: "MODEL_CORRUPT" }) as Error,
  );
});

/** One empty file `x.txt`, with a modified header and its new checksum. */
function withHeader(change: (header: Uint8Array) => void): Uint8Array {
  const archive = new Uint8Array(3 * 512);
  const header = archive.subarray(0, 512);
  const write = (text: string, at: number): void => header.set(new TextEncoder().encode(text), at);
  write("x.txt", 0);
  write("00000000000", 124);
  write("0", 156);
  write("ustar\0" + "00", 257);
  change(header);
  write(" ".repeat(8), 148);
  write(
    header
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, "0"),
    148,
  );
  return archive;
}
