/** The compressed form of an object, which an edge sends to browsers. Made once, by whoever stores the object. */
import { promisify } from "node:util";
import { gzip } from "node:zlib";

const compress = promisify(gzip);

/** A form that saves less is not worth the work of decompressing it in each browser. */
const LARGEST_SHARE = 0.97;

/** `null` if compression saves too little, as with weights in 4 bits. */
export async function compressedForm(bytes: Uint8Array): Promise<Uint8Array | null> {
  const compressed = await compress(bytes, { level: 9 });
  return compressed.length <= LARGEST_SHARE * bytes.length ? compressed : null;
}
