/** Files that a command reads and writes: never over others unless asked, and never half. */
import { mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { WaggleError } from "@waggle/protocol";

export type OutputFile = {
  /** Inside the output folder; `null` where the output is this file. */
  readonly name: string | null;
  readonly content: Uint8Array | Iterable<string>;
};

/**
 * Refuses an output that is already there.
 *
 * @throws WaggleError `CONFLICT` for a file or a folder with something in it.
 */
export async function requireFree(path: string, force: boolean): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found === null || force) return;
  if (found.isDirectory() && (await readdir(path)).length === 0) return;
  throw new WaggleError(
    "CONFLICT",
    `--out must not exist yet, got ${path}; name another or pass --force`,
  );
}

/** Writes each file beside its place and moves it there when it is whole. @returns bytes written. */
export async function writeOutput(path: string, files: Iterable<OutputFile>): Promise<number> {
  let bytes = 0;
  for (const { name, content } of files) {
    const target = name === null ? path : join(path, name);
    await mkdir(dirname(target), { recursive: true });
    const partial = `${target}.partial`;
    try {
      const file = await open(partial, "w");
      try {
        for (const part of content instanceof Uint8Array ? [content] : content) {
          const { bytesWritten } = await file.write(Buffer.from(part as string));
          bytes += bytesWritten;
        }
      } finally {
        await file.close();
      }
      await rename(partial, target);
    } catch (error) {
      await rm(partial, { force: true });
      throw error;
    }
  }
  return bytes;
}

/** @throws WaggleError `NOT_FOUND` naming the option that gave the path. */
export async function textOf(path: string, option: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    throw new WaggleError(
      "NOT_FOUND",
      `${option} must be a readable file, got ${path}; check the path`,
      { cause },
    );
  }
}
