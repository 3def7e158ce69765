/** Seeded draws without replacement. */
import { seededRandom } from "@waggle/protocol";

/** `count` distinct entries in random order; all entries if there are fewer. */
export function seededChoice<T>(entries: readonly T[], count: number, seed: number): T[] {
  const random = seededRandom(seed, 0xd4a);
  const left = [...entries];
  const taken: T[] = [];
  while (taken.length < count && left.length > 0) {
    taken.push(...left.splice(Math.floor(random() * left.length), 1));
  }
  return taken;
}
