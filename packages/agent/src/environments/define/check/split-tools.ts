/**
 * Whether training and held-out tasks need the same tools. A value that all tasks of a kind have, such as a placeholder, puts
 * the whole kind into one split.
 */
import { mulberry32, type TaskSplit } from "@waggle/protocol";
import { type CheckContext, played } from "./check-context.ts";
import { isWithoutDemonstrator } from "./verifier-checks.ts";

/** Tasks of each split that the demonstrator plays. */
const TASKS = 200;
/** A tool that this share of one split calls occurs in as many tasks of the other, unless something keeps it out. */
const COMMON = 0.05;

/** Tools that only one split calls. */
export type SplitTools = {
  /** The split whose tasks never call them. */
  readonly lacking: TaskSplit;
  readonly tools: readonly string[];
  /** Share of the other split's tasks that call the first of them. */
  readonly share: number;
};

/** The first split that lacks tools; `null` if none does, or nothing demonstrates the tasks. */
export async function splitTools(context: CheckContext): Promise<SplitTools | null> {
  try {
    const calls = {
      train: await callsOf(context, "train"),
      heldOut: await callsOf(context, "heldOut"),
    };
    return lacking(calls, "heldOut", "train") ?? lacking(calls, "train", "heldOut");
  } catch (error) {
    if (isWithoutDemonstrator(error)) return null;
    throw error;
  }
}

type Calls = { readonly [split in TaskSplit]: ReadonlyMap<string, number> };

function lacking(calls: Calls, split: TaskSplit, other: TaskSplit): SplitTools | null {
  const missing = [...calls[other]]
    .filter(([tool, tasks]) => tasks >= COMMON * TASKS && !calls[split].has(tool))
    .toSorted(([, a], [, b]) => b - a);
  const [most] = missing;
  if (most === undefined) return null;
  return { lacking: split, tools: missing.map(([tool]) => tool), share: most[1] / TASKS };
}

/** Tasks that call each tool. */
async function callsOf(context: CheckContext, split: TaskSplit): Promise<Map<string, number>> {
  const { spec, signal } = context;
  const tasks = new Map<string, number>();
  for (let i = 0; i < TASKS; i += 1) {
    signal.throwIfAborted();
    const reference = spec.reference(i, split, i % spec.levels);
    const act = await spec.demonstrator(reference, mulberry32(reference.seed), 0);
    const { turns } = await played(context, reference, act);
    const called = turns.flatMap(({ action }) => action.toolCalls.map(({ name }) => name));
    for (const tool of new Set(called)) tasks.set(tool, (tasks.get(tool) ?? 0) + 1);
  }
  return tasks;
}
