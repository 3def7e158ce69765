/** Atomic writing of files. Temporary files have the id of the process that writes them. */
import { open, rename } from "node:fs/promises";
import { join } from "node:path";

/** Writes a file atomically: its name has either the old content or all of the new one. */
export async function writeDurably(folder: string, name: string, bytes: Uint8Array): Promise<void> {
  const path = join(folder, name);
  const temporary = `${path}.${process.pid}.tmp`;
  const handle = await open(temporary, "w");
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, path);
  // The rename is durable only after the folder is synced.
  const directory = await open(folder, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** Whether this is the temporary file of a process that has ended. */
export function isAbandoned(name: string): boolean {
  const [, id] = /\.(\d+)\.tmp$/.exec(name) ?? [];
  if (id === undefined) return false;
  try {
    process.kill(Number(id), 0);
    return false;
  } catch (error) {
    return (error as { code?: unknown }).code === "ESRCH";
  }
}
