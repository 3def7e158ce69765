/** Draws from lists and ranges. All outcomes are equally likely. */
import type { RandomSource } from "@waggle/protocol";

/** One entry of a non-empty list. */
export function pick<T>(random: RandomSource, list: readonly T[]): T {
  return list[integerBelow(random, list.length)] as T;
}

/** The entries in random order. */
export function shuffled<T>(random: RandomSource, list: readonly T[]): T[] {
  return list
    .map((entry) => [random(), entry] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, entry]) => entry);
}

/** An integer from 0 to `count` − 1. */
export function integerBelow(random: RandomSource, count: number): number {
  return Math.floor(random() * count);
}
