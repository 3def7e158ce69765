/** Values of the command line, refused by name where they are none. */
import type { Settings } from "@waggle/learning";
import { InvalidArgumentError } from "commander";

/** At least 0. */
export function number(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value) || value < 0) {
    throw new InvalidArgumentError("must be a number of at least 0.");
  }
  return value;
}

/** Whole, from 0. */
export function whole(text: string): number {
  const value = number(text);
  if (!Number.isInteger(value)) throw new InvalidArgumentError("must be a whole number from 0.");
  return value;
}

/** Whole, from 1. */
export function positive(text: string): number {
  const value = number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new InvalidArgumentError("must be a whole number from 1.");
  return value;
}

/** Megabytes, as bytes. */
export function megabytes(text: string): number {
  return positive(text) * 1e6;
}

/** `name=value`, beside those before it: a truth value, a number or words. */
export function setting(text: string, before: Settings): Settings {
  const [name, ...rest] = text.split("=");
  const value = rest.join("=");
  if (name === undefined || name === "" || rest.length === 0) {
    throw new InvalidArgumentError("must be name=value.");
  }
  if (value === "true" || value === "false") return { ...before, [name]: value === "true" };
  const asNumber = value.trim() === "" ? Number.NaN : Number(value);
  return { ...before, [name]: Number.isNaN(asNumber) ? value : asNumber };
}
