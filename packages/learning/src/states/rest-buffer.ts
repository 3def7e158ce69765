/**
 * `rest-buffer`: samples kept for later: leftovers of recomposition, or old data for rehearsal. A full buffer
 * drops the oldest; rehearsed samples stay.
 *
 * Source: RoRecomp (compensation buffer), mix-cd and RL with retention (rehearsal).
 */
import { option, definePart } from "../composition/part-options.ts";
import { kept, type StatePart } from "../composition/state.ts";
import { drawUniform } from "../draw.ts";

export type RestBuffer<T> = {
  readonly capacity: number;
  readonly items: readonly { readonly item: T; readonly step: number }[];
};

export function restBuffer<T>(capacity: number): RestBuffer<T> {
  return { capacity, items: [] };
}

/** Adds items; drops the oldest beyond the capacity. */
export function putRest<T>(
  buffer: RestBuffer<T>,
  items: readonly T[],
  step: number,
): RestBuffer<T> {
  const all = [...buffer.items, ...items.map((item) => ({ item, step }))];
  return { ...buffer, items: all.slice(-buffer.capacity) };
}

/** Draws `count` items for rehearsal; they stay in the buffer. */
export function rehearse<T>(buffer: RestBuffer<T>, count: number, random: () => number): T[] {
  return drawUniform(
    buffer.items.map(({ item }) => item),
    count,
    random,
  );
}

/** State: the newest `capacity` trajectories or groups kept for later. */
export function leftovers(capacity?: number): StatePart<"rest-buffer"> {
  return definePart(
    { leftoversCapacity: option(capacity, 256) },
    ({ leftoversCapacity: capacity }) => kept("rest-buffer", () => restBuffer(capacity)),
  );
}
