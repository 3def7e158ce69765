/** The schemas of `page-schemas.ts`, from those that `test/golden/protocol` records. */
import { isObject } from "@waggle/protocol";

/** Names of the data that a page receives, or reads from the browser's storage. */
const NAMES = [
  "AssignmentResponse",
  "Consent",
  "DeletionResponse",
  "ErrorBody",
  "Feedback",
  "Outcome",
  "PolicyManifest",
  "SessionResponse",
  "UploadResponse",
] as const;

/**
 * Leaves out what says the same twice: the pattern of a format, and the bounds of every safe integer. A page does not read
 * the evaluation of a version, so that may be anything.
 */
function shorter(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shorter);
  if (!isObject(value)) return value;
  const read = "evaluation" in value ? { ...value, evaluation: {} } : value;
  const members = Object.entries(read).filter(
    ([key, member]) =>
      key !== "$schema" &&
      !(key === "pattern" && "format" in value) &&
      !(
        (key === "minimum" || key === "maximum") &&
        Math.abs(Number(member)) === Number.MAX_SAFE_INTEGER
      ),
  );
  return Object.fromEntries(members.map(([key, member]) => [key, shorter(member)]));
}

export function pageSchemas(wire: { readonly [name: string]: unknown }): {
  [name: string]: unknown;
} {
  return Object.fromEntries(NAMES.map((name) => [name, shorter(wire[name])]));
}
