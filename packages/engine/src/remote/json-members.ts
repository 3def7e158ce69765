/**
 * Reads members of a server's response and reports which one is missing. Too few members are read to
 * need a schema library.
 */
import { isObject, WaggleError } from "@waggle/protocol";

/** A member of a JSON object, `undefined` if there is none. */
export function memberOf(json: unknown, name: string): unknown {
  return isObject(json) ? json[name] : undefined;
}

/** @throws WaggleError `SCHEMA_INVALID` if the member is not a string. */
export function textMember(json: unknown, name: string, answer: string): string {
  const value = memberOf(json, name);
  if (typeof value === "string" && value !== "") return value;
  throw foreign(answer, `${name} as a string`, value);
}

/** @throws WaggleError `SCHEMA_INVALID` if the member is not an array. */
export function listMember(json: unknown, name: string, answer: string): readonly unknown[] {
  const value = memberOf(json, name);
  if (Array.isArray(value)) return value as readonly unknown[];
  throw foreign(answer, `${name} as an array`, value);
}

function foreign(answer: string, wanted: string, got: unknown): WaggleError {
  const shown = JSON.stringify(got)?.slice(0, 100) ?? "nothing";
  return new WaggleError(
    "SCHEMA_INVALID",
    `the response to ${answer} should have ${wanted}, but has ${shown}; is this a server of the Tinker API?`,
  );
}
