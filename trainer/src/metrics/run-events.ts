/** Stores the events of a recipe run while it runs: as JSON lines and as TensorBoard curves. */
import { shareSolved } from "@waggle/evaluation";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { writeDurably } from "../checkpoint/durable-file.ts";
import type { RunEvent } from "../loop/run-event.ts";
import type { Scalars } from "./event-file.ts";
import { openEventWriter } from "./event-writer.ts";
import { METRICS_FILE, tagged, WritingQueue } from "./run-metrics.ts";

/** Stored events of one run. */
export type RunEvents = {
  readonly note: (event: RunEvent) => void;
  /** Replaces the whole file atomically, so a kill leaves the old or the new one. */
  readonly replace: (events: readonly RunEvent[]) => Promise<void>;
  /**
   * Resolves when everything is written.
   * @throws the error of a failed write.
   */
  readonly settled: () => Promise<void>;
};

/** @param before - events of earlier processes, up to the point of the resume. */
export async function openRunEvents(
  folder: string,
  before: readonly RunEvent[],
  tensorboard: boolean,
): Promise<RunEvents> {
  const path = join(folder, METRICS_FILE);
  const queue = new WritingQueue();
  const replace = (events: readonly RunEvent[]): Promise<void> =>
    writeDurably(folder, METRICS_FILE, new TextEncoder().encode(events.map(lineOf).join("")));
  await replace(before);
  let steps = before.filter(({ event }) => event === "step").length;
  const curves = tensorboard ? await openEventWriter(folder, { from: steps }) : null;
  return {
    note: (event) => {
      if (event.event === "step") steps += 1;
      const at = steps;
      queue.add(() => appendFile(path, lineOf(event)));
      if (curves !== null) queue.add(() => curves.write(at, scalarsOf(event)));
    },
    replace: async (events) => {
      await queue.settled();
      await replace(events);
    },
    settled: () => queue.settled(),
  };
}

function lineOf(event: RunEvent): string {
  return `${JSON.stringify(event)}\n`;
}

/** Steps are counted over all stages; each stage has its own charts. */
function scalarsOf(event: RunEvent): Scalars {
  if (event.event === "step") {
    return { ...tagged(event.stage, event.metrics), ...tagged("spent", { ...event.spent }) };
  }
  const { successes, toolCallsMean, sampledTokensMean } = event.heldOut;
  const success = shareSolved(successes);
  return tagged("heldOut", { success, toolCallsMean, sampledTokensMean });
}
