/**
 * Parsers of option values for every command line of the repository. Commander reports a refused
 * value as `error: option '--pages <count>' argument 'abc' is invalid.` and appends the message
 * thrown here.
 */
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Settings } from "@waggle/learning";
import { InvalidArgumentError } from "commander";
import { SHIPPED_MODELS } from "../model/shipped-models.ts";

/** A number ≥ 0. */
export function number(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value) || value < 0) {
    throw new InvalidArgumentError("It must be a number of at least 0.");
  }
  return value;
}

/** A number > 0, such as minutes or a size. */
export function aboveZero(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value) || value <= 0) {
    throw new InvalidArgumentError("It must be a number above 0.");
  }
  return value;
}

/** A whole number ≥ 0. */
export function whole(text: string): number {
  return wholeIn(0, Number.MAX_SAFE_INTEGER)(text);
}

/** A whole number ≥ 1. */
export function positive(text: string): number {
  return wholeIn(1, Number.MAX_SAFE_INTEGER)(text);
}

/** A parser of whole numbers from `min` to `max`, inclusive. */
export function wholeIn(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() !== "" && Number.isInteger(value) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(
      max === Number.MAX_SAFE_INTEGER
        ? `It must be a whole number of at least ${min}.`
        : `It must be a whole number from ${min} to ${max}.`,
    );
  };
}

/** Numbers ≥ 0, separated by commas. */
export function numbers(text: string): number[] {
  return text.split(",").map((part) => number(part));
}

/** Whole numbers ≥ 0, separated by commas. */
export function wholeNumbers(text: string): number[] {
  return text.split(",").map((part) => whole(part));
}

/** A parser of names separated by commas, each in `known`. */
export function namesOf(known: readonly string[]): (text: string) => string[] {
  return (text) => {
    const names = text.split(",").map((name) => name.trim());
    const unknown = names.find((name) => !known.includes(name));
    if (unknown === undefined) return names;
    throw new InvalidArgumentError(`There is no "${unknown}". Choose from ${known.join(", ")}.`);
  };
}

/** A version number as an argument. */
export function versionNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("It must be a version number.");
  return Number(text);
}

/** A number > 0 and ≤ 1. */
export function probability(text: string): number {
  const value = number(text);
  if (value === 0 || value > 1) throw new InvalidArgumentError("It must be above 0 and at most 1.");
  return value;
}

/** A number ≥ 0 and < 1. */
export function fraction(text: string): number {
  const value = number(text);
  if (value >= 1) throw new InvalidArgumentError("It must be at least 0 and below 1.");
  return value;
}

/** Megabytes, converted to bytes. */
export function megabytes(text: string): number {
  return positive(text) * 1e6;
}

/** An existing folder. */
export function existingFolder(text: string): string {
  if (existsSync(text) && statSync(text).isDirectory()) return text;
  throw new InvalidArgumentError("There is no such folder.");
}

/** A model folder: one with a config.json. `default` and `nano` name those of the packages. */
export function existingModel(text: string): string {
  const shipped = SHIPPED_MODELS.get(text);
  if (shipped !== undefined) return shipped;
  if (existsSync(join(existingFolder(text), "config.json"))) return text;
  throw new InvalidArgumentError(
    "It must be default, nano or a model folder, which has a config.json.",
  );
}

/** The URL of a server. */
export function httpUrl(text: string): string {
  if (/^https?:\/\//.test(text) && URL.canParse(text)) return text;
  throw new InvalidArgumentError("It must be a URL that begins with http:// or https://.");
}

/** `name=value`, added to the earlier settings. The value is true, false, a number or text. */
export function setting(text: string, before: Settings): Settings {
  const [name, ...rest] = text.split("=");
  const value = rest.join("=");
  if (name === undefined || name === "" || rest.length === 0) {
    throw new InvalidArgumentError("It must be name=value.");
  }
  if (value === "true" || value === "false") return { ...before, [name]: value === "true" };
  const asNumber = value.trim() === "" ? Number.NaN : Number(value);
  return { ...before, [name]: Number.isNaN(asNumber) ? value : asNumber };
}
