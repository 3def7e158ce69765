/** Reads members of a parsed `config.json` and refuses unsupported values by name. */
import { WaggleError } from "@waggle/protocol";
import { shownValue } from "../shown-value.ts";

export type Json = { readonly [key: string]: unknown };

/** @throws WaggleError `MODEL_UNSUPPORTED` if the member is not a positive integer. */
export function size(json: Json, name: string, fallback?: number): number {
  const value = json[name] ?? fallback;
  if (typeof value !== "number" || !Number.isInteger(value) || value < 1 || value > 1e9) {
    throw unsupported(name, "be a positive integer", value);
  }
  return value;
}

/** @throws WaggleError `MODEL_UNSUPPORTED` if the value is not a positive number. */
export function positive(name: string, value: unknown): number {
  if (typeof value !== "number" || !Number.isFinite(value) || value <= 0) {
    throw unsupported(name, "be a positive number", value);
  }
  return value;
}

/** @throws WaggleError `MODEL_UNSUPPORTED` if the member is present and not false. */
export function refuseTrue(json: Json, ...names: readonly string[]): void {
  for (const name of names) {
    if ((json[name] ?? false) !== false) throw unsupported(name, "be false", json[name]);
  }
}

/** @throws WaggleError `MODEL_UNSUPPORTED` if the member is present and not null. */
export function refusePresent(json: Json, ...names: readonly string[]): void {
  for (const name of names) {
    if ((json[name] ?? null) !== null) throw unsupported(name, "be absent", json[name]);
  }
}

/** @param rule completes the sentence "name must …". */
export function unsupported(name: string, rule: string, value: unknown): WaggleError {
  return new WaggleError(
    "MODEL_UNSUPPORTED",
    `${name} must ${rule}, got ${shownValue(value)}; use a model of the supported decoder type`,
  );
}
