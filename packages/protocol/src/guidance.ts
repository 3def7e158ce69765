/**
 * Learned text that guides a policy instead of trained weights: a prompt, lessons, and cases with the
 * policy that chooses among them. It is stored as one object by content hash and referenced by a policy
 * version, like an adapter. It is treated as hostile input: sizes and characters are limited here, and
 * it is always tokenized as plain text.
 */
import { z } from "zod";
import { isObject } from "./json-object.ts";
import { readOnly } from "./read-only-schema.ts";
import { canonicalJson } from "./digest.ts";
import { WaggleError } from "./errors.ts";

/** Version of the format this code writes. */
const GUIDANCE_FORMAT_VERSION = 1;

/** Maximum size of the whole object. */
const MAX_BYTES = 256 * 1024;

/** Content hash and size of stored guidance. */
export type GuidanceReference = z.infer<typeof GuidanceReference>;
export const GuidanceReference = readOnly(
  z.strictObject({
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
    sizeBytes: z.int().min(1).max(MAX_BYTES),
  }),
);

/** Well-formed text without control characters other than tabs and line ends. */
const text = (max: number) =>
  z
    .string()
    .max(max)
    .refine((value) => value.isWellFormed() && !CONTROL.test(value), {
      message: "must be plain text without control characters",
    });
const CONTROL = /[^\P{Cc}\t\n\r]/u;

const name = z.string().min(1).max(64);
const amount = z.number().min(-1e6).max(1e6);

const GuidanceCase = z.strictObject({
  id: name,
  situation: text(1000),
  action: text(1000),
  /** Reward of the rollout, in [0, 1]. */
  reward: amount,
  /** Expected reward of a rollout that reads this case. */
  value: amount,
  reads: z.int().min(0),
  byStage: z.record(name, amount).optional(),
});

/** The content of one guidance object. */
export type Guidance = z.infer<typeof Guidance>;
export const Guidance = readOnly(
  z.strictObject({
    formatVersion: z.literal(GUIDANCE_FORMAT_VERSION),
    /** Appended to the page's own system message; an empty string adds nothing. */
    prompt: text(4000),
    lessons: z.array(text(500)).max(64),
    /** `null` if there are no cases. */
    cases: z
      .strictObject({
        memory: z.strictObject({
          cases: z.array(GuidanceCase).max(256),
          written: z.int().min(0),
        }),
        policy: z.strictObject({
          weights: z.array(amount).max(1024),
          temperature: z.number().min(1e-6).max(1e12),
        }),
      })
      .nullable(),
  }),
);

/**
 * Encodes guidance. Equal guidance gives equal bytes.
 *
 * @throws WaggleError `SCHEMA_INVALID`, `PAYLOAD_TOO_LARGE`.
 */
export function writeGuidance(guidance: Guidance): Uint8Array<ArrayBuffer> {
  // A copy with a plain ArrayBuffer: some runtimes type the encoder's buffer as shared.
  const bytes = new Uint8Array(new TextEncoder().encode(canonicalJson(guidance)));
  readGuidance(bytes);
  return bytes;
}

/**
 * Decodes and validates guidance. The caller has already checked the hash.
 *
 * @throws WaggleError `PAYLOAD_TOO_LARGE`, `SCHEMA_VERSION_UNSUPPORTED`, `SCHEMA_INVALID`.
 */
export function readGuidance(bytes: Uint8Array): Guidance {
  if (bytes.length > MAX_BYTES) {
    throw new WaggleError(
      "PAYLOAD_TOO_LARGE",
      `guidance is ${bytes.length} bytes; the limit is ${MAX_BYTES} (keep fewer cases)`,
    );
  }
  const value = parseJson(bytes);
  const version = isObject(value) ? value["formatVersion"] : undefined;
  if (typeof version === "number" && version !== GUIDANCE_FORMAT_VERSION) {
    throw new WaggleError(
      "SCHEMA_VERSION_UNSUPPORTED",
      `guidance has formatVersion ${version}; this page reads ${GUIDANCE_FORMAT_VERSION} (update the page)`,
    );
  }
  const result = Guidance.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new WaggleError(
    "SCHEMA_INVALID",
    `guidance does not match its schema at ${issue?.path.join(".").slice(0, 100) ?? ""}: ${issue?.message ?? ""}`,
  );
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(
      new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes),
    ) as unknown;
  } catch (cause) {
    throw new WaggleError("SCHEMA_INVALID", "guidance is not JSON in UTF-8", { cause });
  }
}
