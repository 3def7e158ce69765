/** Draws from lists and ranges. All outcomes are equally likely. */
import type { RandomSource } from "@waggle/protocol";

/** One entry of a non-empty list. */
export function pick<T>(random: RandomSource, list: readonly T[]): T {
  return list[integerBelow(random, list.length)] as T;
}

/** An integer from 0 to `count` − 1. */
export function integerBelow(random: RandomSource, count: number): number {
  return Math.floor(random() * count);
}
