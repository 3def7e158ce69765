/**
 * Input and output files of a command. Output is written atomically, and existing files are only
 * overwritten on request.
 */
import { mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { WaggleError } from "@waggle/protocol";

/** One output file. */
export type OutputFile = {
  /** Path inside the output folder; `null` if the output is this file. */
  readonly name: string | null;
  readonly content: Uint8Array | Iterable<string>;
};

/**
 * Refuses an existing output.
 *
 * @throws WaggleError `CONFLICT` for a file or a non-empty folder.
 */
export async function requireFree(path: string, force: boolean): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found === null || force) return;
  if (found.isDirectory() && (await readdir(path)).length === 0) return;
  throw new WaggleError(
    "CONFLICT",
    `${path} already exists; pass --force to overwrite it, or choose another path`,
  );
}

/** Writes each file beside its destination and renames it when complete. @returns bytes written */
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

/** @throws WaggleError `NOT_FOUND` with the name of the option. */
export async function textOf(path: string, option: string): Promise<string> {
  return new TextDecoder().decode(await bytesOf(path, option));
}

/** @throws WaggleError `NOT_FOUND` with the name of the option. */
export async function bytesOf(path: string, option: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(await readFile(path));
  } catch (cause) {
    throw new WaggleError("NOT_FOUND", `cannot read ${option} ${path}; check the path`, { cause });
  }
}
