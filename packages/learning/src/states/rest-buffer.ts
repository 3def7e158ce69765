/**
 * `rest-buffer`: samples kept for later: what recomposition left over, or old data for rehearsal. The
 * oldest leave a full buffer; what is rehearsed stays.
 *
 * Source: RoRecomp (compensation buffer), mix-cd and RL with retention (rehearsal).
 */
import { option, definePart } from "../composition/part-options.ts";
import { kept, type StatePart } from "../composition/state.ts";
import { drawFrom } from "../draw.ts";

export type RestBuffer<T> = {
  readonly capacity: number;
  readonly items: readonly { readonly item: T; readonly step: number }[];
};

export function restBuffer<T>(capacity: number): RestBuffer<T> {
  return { capacity, items: [] };
}

/** The buffer with more items; the oldest leave beyond its capacity. */
export function putRest<T>(
  buffer: RestBuffer<T>,
  items: readonly T[],
  step: number,
): RestBuffer<T> {
  const all = [...buffer.items, ...items.map((item) => ({ item, step }))];
  return { ...buffer, items: all.slice(-buffer.capacity) };
}

/** `count` items drawn for rehearsal; the buffer keeps them. */
export function rehearse<T>(buffer: RestBuffer<T>, count: number, random: () => number): T[] {
  return drawFrom(
    buffer.items.map(({ item }) => item),
    count,
    random,
  );
}

/** What is kept for later, the newest `capacity` trajectories or groups. */
export function leftovers(capacity?: number): StatePart<"rest-buffer"> {
  return definePart(
    { leftoversCapacity: option(capacity, 256) },
    ({ leftoversCapacity: capacity }) => kept("rest-buffer", () => restBuffer(capacity)),
  );
}
