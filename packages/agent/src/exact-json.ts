/** JSON whose numbers JavaScript can hold. Others, such as `1e400` or a 20-digit id, would change in silence. */
import { isObject } from "@waggle/protocol";

const STRINGS_AND_NUMBERS = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** The parsed JSON, or the text itself if it is not JSON or has a number that would change. */
export function exactJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text;
  }
  const parts = text.match(STRINGS_AND_NUMBERS) ?? [];
  return parts.every((part) => part.startsWith('"') || isExact(part)) ? value : text;
}

/** Whether a number at any depth of the value passes the test. */
export function someNumber(value: unknown, test: (number: number) => boolean): boolean {
  if (typeof value === "number") return test(value);
  if (!isObject(value) && !Array.isArray(value)) return false;
  return Object.values(value).some((member) => someNumber(member, test));
}

function isExact(number: string): boolean {
  const value = Number(number);
  return Number.isFinite(value) && canonical(number) === canonical(String(value));
}

/** Decimal digits of a finite number, without zeros at either end. */
export function digitsOf(number: number): string {
  return canonical(String(number)).split("e")[0] ?? "";
}

/** Digits without zeros at either end, and the power of ten of the last one. The sign cannot be lost. */
function canonical(number: string): string {
  const [, whole = "", fraction = "", exponent = "0"] =
    /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const kept = digits.replace(/0+$/, "");
  if (kept === "") return "0";
  return `${kept}e${Number(exponent) - fraction.length + digits.length - kept.length}`;
}
