/**
 * Records which trajectory is being checked, in a file beside the checkpoint. A check that ends the
 * process (out of memory, a crash in native code) cannot be caught; the next start finds the trajectory
 * here.
 */
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

/** The crash counts of a state folder, updated around each check. */
export interface CheckJournal {
  /** How often the trainer ended while it checked this trajectory. */
  crashesOf(digest: string): number;
  begin(digest: string): Promise<void>;
  end(): Promise<void>;
}

const FILE = "check-journal.json";
/** Limit on the trajectories whose crashes are remembered; the oldest are dropped first. */
const MOST = 256;

const Journal = z.object({
  checking: z.string().nullable(),
  crashes: z.array(z.tuple([z.string(), z.int().min(1)])),
});

/**
 * Opens the journal of a state folder. An unreadable journal starts empty: its counts are observed
 * again.
 */
export async function openCheckJournal(folder: string): Promise<CheckJournal> {
  const path = join(folder, FILE);
  const text = await readFile(path, "utf8").catch(() => "");
  const found = Journal.safeParse(parsed(text)).data ?? { checking: null, crashes: [] };
  const crashes = new Map(found.crashes.slice(-MOST));
  if (found.checking !== null) {
    const count = (crashes.get(found.checking) ?? 0) + 1;
    crashes.delete(found.checking);
    crashes.set(found.checking, count);
  }
  // Not flushed to disk: it must survive the process, not a power failure.
  const write = async (checking: string | null): Promise<void> => {
    await writeFile(`${path}.new`, JSON.stringify({ checking, crashes: [...crashes] }));
    await rename(`${path}.new`, path);
  };
  await write(null);
  return {
    crashesOf: (digest) => crashes.get(digest) ?? 0,
    begin: write,
    end: () => write(null),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
