/** Uploads whose body is hostile, whatever it says. */
import { gzipSync } from "node:zlib";
import { UPLOAD_LIMITS } from "@waggle/protocol";
import type { AttackedEdge } from "../edge/attacked-edge.ts";
import { attack, type EdgeAttack, type Refusal, uploadOfBody } from "./edge-attack.ts";

const SCHEMA: Refusal = [400, "SCHEMA_INVALID"];
const TOO_LARGE: Refusal = [413, "PAYLOAD_TOO_LARGE"];
const MEDIA: Refusal = [415, "UNSUPPORTED_MEDIA_TYPE"];

const COUNTED = "bytes are counted before and after decoding";
const DEPTH = "the depth of JSON is counted before it is parsed";
const JSON_ONLY = "only JSON is parsed";
const STRICT = "the schema knows every member";
const ENCODINGS = "only gzip and plain bodies are read";

/** An attack that changes the text of a valid upload. */
function body(
  name: string,
  does: string,
  stoppedBy: string,
  refusal: Refusal,
  change: (text: string) => string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): EdgeAttack {
  const request = async (edge: AttackedEdge) => {
    const text = JSON.stringify({ trajectories: [await edge.validUpload()] });
    return uploadOfBody(edge, change(text), headers);
  };
  return attack(name, does, stoppedBy, refusal, request);
}

const replaceNumber = (text: string, by: string): string =>
  text.replace('"behaviorLogProbs":[-0.5', `"behaviorLogProbs":[${by}`);
const GZIP = { "content-encoding": "gzip" };
const MEGABYTE = 1024 * 1024;

/** All of them. */
export const BODY_ATTACKS: readonly EdgeAttack[] = [
  body("__proto__ in the body", "adds a member that changes prototypes", STRICT, SCHEMA, (text) =>
    text.replace(/^\{/, '{"__proto__":{"polluted":true},'),
  ),
  body(
    "deep arrays",
    "nests 100,000 arrays, which overflows recursive parsers",
    DEPTH,
    SCHEMA,
    () => "[".repeat(100_000) + "]".repeat(100_000),
  ),
  body("deep objects", "nests 41 objects in a member", DEPTH, SCHEMA, (text) =>
    text.replace(/^\{/, `{"a":${'{"a":'.repeat(41)}1${"}".repeat(41)},`),
  ),
  body(
    "depth hidden in a string",
    "opens 100,000 arrays behind an escaped quote",
    JSON_ONLY,
    SCHEMA,
    () => `{"a":"\\"${"[".repeat(100_000)}`,
  ),
  body(
    "a zip bomb",
    "sends 64 MB of zeros in 64 kB",
    COUNTED,
    TOO_LARGE,
    () => gzipSync(new Uint8Array(64 * MEGABYTE)),
    GZIP,
  ),
  body(
    "a zip bomb of JSON",
    "sends an upload with 32 MB of spaces, packed",
    COUNTED,
    TOO_LARGE,
    (text) => gzipSync(text + " ".repeat(32 * MEGABYTE)),
    GZIP,
  ),
  body(
    "gzip in gzip",
    "packs its body twice",
    JSON_ONLY,
    SCHEMA,
    (text) => gzipSync(gzipSync(text)),
    GZIP,
  ),
  body(
    "truncated gzip",
    "cuts a packed body in half",
    ENCODINGS,
    SCHEMA,
    (text) => {
      const packed = gzipSync(text);
      return packed.subarray(0, packed.length / 2);
    },
    GZIP,
  ),
  body(
    "gzip with a wrong checksum",
    "changes the last bytes of a packed body",
    ENCODINGS,
    SCHEMA,
    (text) => {
      const packed = gzipSync(text);
      packed.fill(0, packed.length - 8);
      return packed;
    },
    GZIP,
  ),
  body("plain text called gzip", "mislabels its body", ENCODINGS, SCHEMA, (text) => text, GZIP),
  body("gzip called plain", "hides a packed body", JSON_ONLY, SCHEMA, (text) => gzipSync(text)),
  body("brotli", "names an encoding that is not read", ENCODINGS, MEDIA, (text) => text, {
    "content-encoding": "br",
  }),
  body("two encodings", "names gzip twice", ENCODINGS, MEDIA, (text) => gzipSync(gzipSync(text)), {
    "content-encoding": "gzip, gzip",
  }),
  body(
    "JSON called text",
    "avoids the browser's check of other origins",
    JSON_ONLY,
    MEDIA,
    (text) => text,
    { "content-type": "text/plain" },
  ),
  body("JSON called a form", "sends its body as a form does", JSON_ONLY, MEDIA, (text) => text, {
    "content-type": "multipart/form-data; boundary=x",
  }),
  body(
    "JSON called a patch",
    "names a type that begins with application/json",
    JSON_ONLY,
    MEDIA,
    (text) => text,
    { "content-type": "application/json-patch+json" },
  ),
  body(
    "a body over the limit",
    "sends spaces after an upload",
    COUNTED,
    TOO_LARGE,
    (text) => text + " ".repeat(UPLOAD_LIMITS.bodyBytes),
  ),
  body("an empty body", "sends nothing", JSON_ONLY, SCHEMA, () => ""),
  body("two documents", "sends two uploads in one body", JSON_ONLY, SCHEMA, (text) => text + text),
  body("a truncated document", "cuts its upload in half", JSON_ONLY, SCHEMA, (text) =>
    text.slice(0, text.length / 2),
  ),
  body("NaN", "writes NaN into JSON", JSON_ONLY, SCHEMA, (text) => replaceNumber(text, "NaN")),
  body("Infinity", "writes -Infinity into JSON", JSON_ONLY, SCHEMA, (text) =>
    replaceNumber(text, "-Infinity"),
  ),
  body(
    "a number that overflows",
    "writes -1e400, which becomes -Infinity",
    "the schema bounds every value",
    SCHEMA,
    (text) => replaceNumber(text, "-1e400"),
  ),
  body(
    "a number of 10,000 digits",
    "hides a change of a log-prob in its digits",
    "the digest is recomputed",
    [400, "DIGEST_MISMATCH"],
    (text) => replaceNumber(text, `-0.7${"0".repeat(10_000)}`),
  ),
  body(
    "a member twice",
    "names the version twice, so that two parsers disagree",
    "the digest is recomputed",
    [400, "DIGEST_MISMATCH"],
    (text) =>
      text.replace(
        '"policyVersion":0,"segments"',
        '"policyVersion":0,"policyVersion":7,"segments"',
      ),
  ),
  body("UTF-16", "sends its upload in another character set", JSON_ONLY, SCHEMA, (text) =>
    Buffer.from(text, "utf16le"),
  ),
  body(
    "broken UTF-8",
    "breaks a character of a text",
    "the digest is recomputed",
    [400, "DIGEST_MISMATCH"],
    (text) => {
      const bytes = Buffer.from(text);
      bytes[bytes.indexOf("wasm x1")] = 0xff;
      return bytes;
    },
  ),
  body(
    "no trajectories",
    "uploads an empty list",
    "an upload has 1 to 64 trajectories",
    SCHEMA,
    () => '{"trajectories":[]}',
  ),
  body(
    "too many trajectories",
    "uploads one more than allowed",
    "an upload has 1 to 64 trajectories",
    SCHEMA,
    (text) => {
      const { trajectories } = JSON.parse(text) as { trajectories: unknown[] };
      const more = Array.from({ length: UPLOAD_LIMITS.trajectories + 1 }, () => trajectories[0]);
      return JSON.stringify({ trajectories: more });
    },
  ),
  body(
    "a path as digest",
    "writes a path where a hash belongs",
    "a digest is a SHA-256 in hex",
    SCHEMA,
    (text) => text.replace(/"digest":"[0-9a-f]{64}"/, '"digest":"../../objects/x"'),
  ),
  body(
    "a digest in capitals",
    "writes a stored digest differently",
    "a digest is a SHA-256 in hex",
    SCHEMA,
    (text) =>
      text.replace(
        /"digest":"([0-9a-f]{64})"/,
        (_, hash: string) => `"digest":"${hash.toUpperCase()}"`,
      ),
  ),
];
