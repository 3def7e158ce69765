/** The same calls give the same results: without that, no trainer can check what a page reports. */
import type { TaskReference } from "@waggle/protocol";
import {
  type CheckContext,
  counted,
  failed,
  type Finding,
  passed,
  placeOf,
  visited,
} from "./check-context.ts";
import {
  type RecordedRollout,
  recordedRollout,
  repeatedRollout,
  rolloutDifference,
} from "./recorded-rollout.ts";

/** Plays every task, then every task again with the same turns, and compares results and verdicts. */
export async function checkReplay(context: CheckContext): Promise<Finding> {
  const { spec, references, signal } = context;
  const recorded = new Map<TaskReference, RecordedRollout>();
  await visited(context, references, async (reference) => {
    recorded.set(reference, await recordedRollout(spec, reference, signal));
    return null;
  });
  let turns = 0;
  const found = await visited(context, references, async (reference) => {
    const before = recorded.get(reference) as RecordedRollout;
    const again = await repeatedRollout(spec, before, signal);
    turns += before.turns.length;
    const difference = wordsOf(before, again);
    if (difference === null) return null;
    return failed(`${placeOf(spec, reference)}: ${difference}`, reference);
  });
  return (
    found ??
    passed(
      `${counted(references.length, "task")} played twice with the same ${counted(turns, "turn")}: results and verdicts are equal, byte for byte`,
    )
  );
}

function wordsOf(before: RecordedRollout, again: RecordedRollout): string | null {
  const difference = rolloutDifference(before, again);
  if (difference === null) return null;
  const { at, turn, tool } = difference;
  const [first, second] = [shortened(difference.first), shortened(difference.second)];
  switch (at) {
    case "start":
      return `the task began with ${first} and then with ${second}. Draw from random and pick only`;
    case "result":
      return `in turn ${turn}, ${tool} gave ${first} and then ${second} for the same calls. Tools must use the state only, not the time, unseeded random numbers or a shared variable`;
    case "verdict":
      return `the same turns were judged ${first} and then ${second}. verify must use the state, the text and the data only`;
  }
}

/** As JSON of at most this length. */
function shortened(value: unknown, characters = 120): string {
  return (JSON.stringify(value) ?? "nothing").slice(0, characters);
}
