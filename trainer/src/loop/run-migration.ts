/**
 * Migrates runs of version 1, which called a judged trajectory an episode and the adapters of roles a
 * shelf.
 */
import { isObject } from "@waggle/protocol";

/**
 * Renames the fields of a version 1 run to those of version 2. Numbers and tensors do not change.
 */
export function migratedRun(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(migratedRun);
  if (value instanceof Map) {
    return new Map([...value].map(([key, one]) => [key as unknown, migratedRun(one)]));
  }
  if (!isPlain(value)) return value;
  const judged = "verification" in value && "samples" in value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [renamed(name, value, judged), migratedRun(one)]),
  );
}

function renamed(name: string, owner: object, isJudged: boolean): string {
  if (name === "trajectory" && isJudged) return "record";
  if (name === "episode") return "trajectory";
  // The field names in a run's spending did not change.
  if (name === "episodes" && !("sampledTokens" in owner)) return "trajectories";
  return name === "shelf" ? "roleStore" : name;
}

function isPlain(value: unknown): value is { readonly [name: string]: unknown } {
  return isObject(value) && Object.getPrototypeOf(value) === Object.prototype;
}
