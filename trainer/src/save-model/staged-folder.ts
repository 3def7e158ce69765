/**
 * Writes a folder atomically: beside its destination, then renamed. An existing folder is only
 * replaced on request, and only if it could be this command's own output.
 */
import { mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { WaggleError } from "@waggle/protocol";
import { requireFree } from "../files/output.ts";

/** All file names that such a folder can contain. */
const OURS =
  /^(adapter_config\.json|adapter_model\.safetensors|optimizer\.safetensors|config\.json|generation_config\.json|tokenizer(_config)?\.json|(training_)?chat_template\.jinja|model[\w.-]*\.safetensors(\.index\.json)?|onnx)$/;

/**
 * @param write fills the folder that it is given; if it fails, nothing is kept
 * @throws WaggleError `CONFLICT` if the destination exists and may not be replaced.
 */
export async function writeFolder<T>(
  out: string,
  isForced: boolean,
  write: (folder: string) => Promise<T>,
): Promise<T> {
  await requireFree(out, isForced);
  await requireReplaceable(out);
  const place = resolve(out);
  const beside = (word: string): string => join(dirname(place), `.${basename(place)}.${word}`);
  const [staged, replaced] = [beside("partial"), beside("replaced")];
  await rm(staged, { recursive: true, force: true });
  await mkdir(staged, { recursive: true });
  try {
    const result = await write(staged);
    const isThere = (await stat(place).catch(() => null)) !== null;
    if (isThere) await rename(place, replaced);
    await rename(staged, place);
    await rm(replaced, { recursive: true, force: true });
    return result;
  } catch (error) {
    await rm(staged, { recursive: true, force: true });
    throw error;
  }
}

async function requireReplaceable(out: string): Promise<void> {
  const found = await stat(out).catch(() => null);
  if (found === null) return;
  const foreign = found.isDirectory() ? (await readdir(out)).find((name) => !OURS.test(name)) : out;
  if (foreign === undefined) return;
  throw new WaggleError(
    "CONFLICT",
    `save-model did not write ${foreign} in ${out}, and --force replaces only its own folders; choose another folder`,
  );
}
