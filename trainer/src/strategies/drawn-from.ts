/** Seeded draws without repetition. */
import { seededRandom } from "@waggle/protocol";

/** `count` entries, fewer where there are fewer. */
export function drawnFrom<T>(entries: readonly T[], count: number, seed: number): T[] {
  const random = seededRandom(seed, 0xd4a);
  const left = [...entries];
  const taken: T[] = [];
  while (taken.length < count && left.length > 0) {
    taken.push(...left.splice(Math.floor(random() * left.length), 1));
  }
  return taken;
}
