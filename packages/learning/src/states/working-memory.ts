/** A memory for rollouts, searched by the words of the request. */
import { option, definePart } from "../composition/part-options.ts";
import type { StatePart } from "../composition/state.ts";
import { memoryBank, type MemoryBank, recallMemory } from "./memory-bank.ts";

/** Reads the actions of the `most` remembered requests with the most words in common. */
export function workingMemory(most?: number): StatePart<"memory-bank"> {
  return definePart({ workingMemoryMost: option(most, 2) }, ({ workingMemoryMost: most }) => ({
    slot: "state",
    part: "memory-bank",
    initial: memoryBank,
    read: (value, { situation, at }) => {
      if (at !== "start") return null;
      const recalled = recallMemory(value as MemoryBank, situation, most);
      if (recalled.length === 0) return null;
      return {
        ids: recalled.map(({ id }) => id),
        parts: { lessons: recalled.map(({ text }) => text) },
      };
    },
  }));
}
