/** Atomic writing of files. */
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
