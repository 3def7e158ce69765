/**
 * Random draws of one split. Words, names and numbers belong to training or to held-out tasks by their hash, so
 * that no held-out value is ever seen in training.
 */
import { type RandomSource, type TaskSplit, textFraction } from "@waggle/protocol";
import { pick } from "../draw.ts";

/** The random numbers of one task, and the split that its values come from. */
export type Drawing = { readonly random: RandomSource; readonly split: TaskSplit };

/** Share of names, words, pairs and frames that only held-out tasks have. */
const HELD_OUT_SHARE = 0.25;

/** Whether something with this name may be in tasks of this split. Case does not count. */
export function belongsTo(split: TaskSplit, name: string): boolean {
  const isHeldOut = textFraction(`tools/${name.toLowerCase()}`) < HELD_OUT_SHARE;
  return isHeldOut === (split === "heldOut");
}

/** Draws until the text belongs to the split. The draw must have enough different outcomes. */
export function drawOfSplit(drawing: Drawing, draw: (random: RandomSource) => string): string {
  for (;;) {
    const text = draw(drawing.random);
    if (belongsTo(drawing.split, text)) return text;
  }
}

/** Entries of a list that belong to a split, kept for each list. */
const PARTS = new WeakMap<readonly string[], { [split in TaskSplit]: readonly string[] }>();

/** One entry of a list that belongs to the split. */
export function pickOfSplit({ random, split }: Drawing, list: readonly string[]): string {
  let parts = PARTS.get(list);
  if (parts === undefined) {
    parts = {
      train: list.filter((entry) => belongsTo("train", entry)),
      heldOut: list.filter((entry) => belongsTo("heldOut", entry)),
    };
    PARTS.set(list, parts);
  }
  return pick(random, parts[split]);
}

/** Whether an event of this probability happens. */
export function chance({ random }: Drawing, probability: number): boolean {
  return random() < probability;
}

/** The entries in random order. */
export function shuffled<T>({ random }: Drawing, list: readonly T[]): T[] {
  return list
    .map((entry) => [random(), entry] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, entry]) => entry);
}
