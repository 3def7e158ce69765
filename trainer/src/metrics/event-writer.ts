/** A TensorBoard event file in a folder: one for each process, which TensorBoard reads as one curve. */
import { appendFile, mkdir } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { fileVersionRecord, restartRecord, type Scalars, scalarsRecord } from "./event-file.ts";

export type EventWriter = {
  readonly path: string;
  /** Values that are no finite number are left out. */
  readonly write: (step: number, scalars: Scalars) => Promise<void>;
};

export type EventWriterOptions = {
  /** Steps that an earlier process did; what it wrote beyond them is forgotten. Default 0. */
  readonly from?: number | undefined;
  /** Milliseconds since 1970. Default: the clock. */
  readonly now?: (() => number) | undefined;
};

export async function openEventWriter(
  folder: string,
  { from = 0, now = Date.now }: EventWriterOptions = {},
): Promise<EventWriter> {
  const seconds = (): number => now() / 1000;
  const began = Math.floor(seconds());
  const path = join(folder, `events.out.tfevents.${began}.${hostname()}.${process.pid}`);
  await mkdir(folder, { recursive: true });
  await appendFile(path, fileVersionRecord(seconds()));
  if (from > 0) await appendFile(path, restartRecord(seconds(), from + 1));
  return {
    path,
    write: async (step, scalars) => {
      const finite = Object.entries(scalars).filter(([, value]) => Number.isFinite(value));
      if (finite.length === 0) return;
      await appendFile(path, scalarsRecord(seconds(), step, Object.fromEntries(finite)));
    },
  };
}
