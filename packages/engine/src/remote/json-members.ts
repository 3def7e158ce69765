/**
 * Reads members of a server's answer and says which one is missing. Not a schema library: the
 * answers that a training engine reads have a handful of members.
 */
import { WaggleError } from "@waggle/protocol";

/** A member of a JSON object, `undefined` where there is none. */
export function memberOf(json: unknown, name: string): unknown {
  return typeof json === "object" && json !== null
    ? (json as { readonly [name: string]: unknown })[name]
    : undefined;
}

/** @throws WaggleError `SCHEMA_INVALID` where the member is not text. */
export function textMember(json: unknown, name: string, answer: string): string {
  const value = memberOf(json, name);
  if (typeof value === "string" && value !== "") return value;
  throw foreign(answer, `${name} as text`, value);
}

/** @throws WaggleError `SCHEMA_INVALID` where the member is not a list. */
export function listMember(json: unknown, name: string, answer: string): readonly unknown[] {
  const value = memberOf(json, name);
  if (Array.isArray(value)) return value as readonly unknown[];
  throw foreign(answer, `${name} as a list`, value);
}

function foreign(answer: string, wanted: string, got: unknown): WaggleError {
  const shown = JSON.stringify(got)?.slice(0, 100) ?? "nothing";
  return new WaggleError(
    "SCHEMA_INVALID",
    `the answer to ${answer} must hold ${wanted}, got ${shown}; is this a server of the Tinker API?`,
  );
}
