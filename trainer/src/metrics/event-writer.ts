/**
 * Writes a TensorBoard event file in a folder. Each process writes its own file; TensorBoard joins them
 * into one curve.
 */
import { appendFile, mkdir } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { fileVersionRecord, restartRecord, type Scalars, scalarsRecord } from "./event-file.ts";

export type EventWriter = {
  readonly path: string;
  /** Values that are not finite are left out. */
  readonly write: (step: number, scalars: Scalars) => Promise<void>;
};

export type EventWriterOptions = {
  /** Steps done by earlier processes; their records beyond these are discarded. Default 0. */
  readonly from?: number | undefined;
  /** Clock in milliseconds since 1970. Default: the system clock. */
  readonly now?: (() => number) | undefined;
};

/** Opens a new event file. */
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
