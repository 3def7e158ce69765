/** The order of answers of two versions: those that changed come first. */
import type { VersionReport } from "@waggle/protocol";

type Pair = NonNullable<VersionReport["answers"]>["pairs"][number];

/** Whether text, calls or verdict differ. */
export function hasChanged({ before, after }: Pair): boolean {
  return (
    before.success !== after.success ||
    before.text !== after.text ||
    before.calls.join("\n") !== after.calls.join("\n")
  );
}

/** Tasks that are no longer solved, newly solved ones, other changes, and the rest. */
export function changedFirst(pairs: readonly Pair[]): Pair[] {
  return pairs.toSorted((a, b) => rank(a) - rank(b));
}

function rank(pair: Pair): number {
  const { before, after } = pair;
  if (before.success !== after.success) return after.success ? 1 : 0;
  return hasChanged(pair) ? 2 : 3;
}
