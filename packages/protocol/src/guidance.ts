/**
 * Text that was learned in place of weights: an instruction, lessons, cases with the policy that chooses
 * among them. One object by content hash, named by a policy version as its adapter is. It is read as
 * hostile input: sizes and characters are bounded here, and it is tokenized as plain text wherever it goes.
 */
import { z } from "zod";
import { canonicalJson } from "./digest.ts";
import { WaggleError } from "./errors.ts";

/** Version of the format this code writes. */
const GUIDANCE_FORMAT_VERSION = 1;

/** Of the whole object. */
const MOST_BYTES = 256 * 1024;

export type GuidanceReference = { readonly sha256: string; readonly sizeBytes: number };

export const GuidanceReference: z.ZodType<GuidanceReference> = z.strictObject({
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  sizeBytes: z.int().min(1).max(MOST_BYTES),
});

type GuidanceCase = {
  readonly id: string;
  readonly situation: string;
  readonly action: string;
  /** What the rollout earned, in [0, 1] as verifiers pay. */
  readonly reward: number;
  /** Expected reward of reading it. */
  readonly value: number;
  readonly reads: number;
  readonly byStage?: { readonly [stage: string]: number } | undefined;
};

export type Guidance = {
  readonly formatVersion: typeof GUIDANCE_FORMAT_VERSION;
  /** After the page's own system message; empty = none. */
  readonly prompt: string;
  readonly lessons: readonly string[];
  /** `null` = none. */
  readonly cases: {
    readonly memory: { readonly cases: readonly GuidanceCase[]; readonly written: number };
    readonly policy: { readonly weights: readonly number[]; readonly temperature: number };
  } | null;
};

/** Whole characters, no control characters but tabs and line ends. */
const text = (most: number): z.ZodType<string> =>
  z
    .string()
    .max(most)
    .refine((value) => value.isWellFormed() && !CONTROL.test(value), {
      message: "must be plain text without control characters",
    });
const CONTROL = /[^\P{Cc}\t\n\r]/u;

const name = z.string().min(1).max(64);
const amount = z.number().min(-1e6).max(1e6);

export const Guidance: z.ZodType<Guidance> = z.strictObject({
  formatVersion: z.literal(GUIDANCE_FORMAT_VERSION),
  prompt: text(4000),
  lessons: z.array(text(500)).max(64),
  cases: z
    .strictObject({
      memory: z.strictObject({
        cases: z
          .array(
            z.strictObject({
              id: name,
              situation: text(1000),
              action: text(1000),
              reward: amount,
              value: amount,
              reads: z.int().min(0),
              byStage: z.record(name, amount).optional(),
            }),
          )
          .max(256),
        written: z.int().min(0),
      }),
      policy: z.strictObject({
        weights: z.array(amount).max(1024),
        temperature: z.number().min(1e-6).max(1e12),
      }),
    })
    .nullable(),
});

/** The object's bytes, the same for the same guidance. @throws WaggleError `SCHEMA_INVALID`, `PAYLOAD_TOO_LARGE` */
export function writeGuidance(guidance: Guidance): Uint8Array<ArrayBuffer> {
  // A copy whose buffer no worker shares, in whichever runtime's types.
  const bytes = new Uint8Array(new TextEncoder().encode(canonicalJson(guidance)));
  readGuidance(bytes);
  return bytes;
}

/**
 * The guidance in an object whose hash was checked before.
 *
 * @throws WaggleError `PAYLOAD_TOO_LARGE`, `SCHEMA_VERSION_UNSUPPORTED`, `SCHEMA_INVALID`.
 */
export function readGuidance(bytes: Uint8Array): Guidance {
  if (bytes.length > MOST_BYTES) {
    throw new WaggleError(
      "PAYLOAD_TOO_LARGE",
      `guidance must have at most ${MOST_BYTES} bytes, got ${bytes.length}; keep fewer cases`,
    );
  }
  const value = parsed(bytes);
  const version =
    typeof value === "object" && value !== null && "formatVersion" in value
      ? value.formatVersion
      : undefined;
  if (typeof version === "number" && version !== GUIDANCE_FORMAT_VERSION) {
    throw new WaggleError(
      "SCHEMA_VERSION_UNSUPPORTED",
      `formatVersion of guidance must be ${GUIDANCE_FORMAT_VERSION}, got another; update the page`,
    );
  }
  const result = Guidance.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new WaggleError(
    "SCHEMA_INVALID",
    `guidance must fit its schema, got a fault at ${issue?.path.join(".").slice(0, 100) ?? ""}: ${issue?.message ?? ""}; publish it again`,
  );
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(
      new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes),
    ) as unknown;
  } catch (cause) {
    throw new WaggleError(
      "SCHEMA_INVALID",
      "guidance must be JSON in UTF-8, got something else; publish it again",
      { cause },
    );
  }
}
