/**
 * Durable checkpoints in a folder. A commit is visible completely or not at all, even after a power
 * failure. Parameters are safetensors files named by content; `state.json` names the files that belong
 * to it and is replaced last, by fsync and rename.
 */
import { mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { readSafetensors, writeSafetensors } from "@waggle/model";
import { type EngineCheckpoint, Sha256, sha256, WaggleError } from "@waggle/protocol";
import { z } from "zod";
import { TrainerState } from "./trainer-state.ts";

/** A trainer's state with the engine checkpoints that belong to it. */
export type Checkpoint = {
  readonly state: TrainerState;
  /** The engine at `state.step`. */
  readonly engine: EngineCheckpoint;
  /** The engine at the stable version, to which a roll-back returns. */
  readonly stable: EngineCheckpoint;
};

/** Reads and writes checkpoints. */
export interface CheckpointStore {
  /**
   * @throws WaggleError `CHECKPOINT_CORRUPT` if a checkpoint exists but cannot be read completely.
   */
  load(): Promise<Checkpoint | null>;
  /** Resolves when the checkpoint would survive a crash of the process or the machine. */
  commit(checkpoint: Checkpoint): Promise<void>;
  /** Deletes everything. */
  clear(): Promise<void>;
}

const File = z.strictObject({
  state: TrainerState,
  engine: Sha256,
  stable: Sha256,
});

const STATE_FILE = "state.json";
const ENGINE_FILE = /^engine-[0-9a-f]{64}\.safetensors$/;

/** Creates a store in a folder. */
export function createCheckpointStore(folder: string): CheckpointStore {
  const written = new Map<EngineCheckpoint, string>();

  async function writeEngine(checkpoint: EngineCheckpoint): Promise<string> {
    const known = written.get(checkpoint);
    if (known !== undefined) return known;
    const { step, tensors, location } = checkpoint;
    const metadata = { step: String(step), ...(location === undefined ? {} : { location }) };
    const bytes = writeSafetensors(tensors, metadata);
    const digest = await sha256(bytes);
    await writeDurably(folder, engineFile(digest), bytes);
    written.set(checkpoint, digest);
    return digest;
  }

  async function readEngine(digest: string): Promise<EngineCheckpoint> {
    const bytes = new Uint8Array(await readFile(join(folder, engineFile(digest))));
    if ((await sha256(bytes)) !== digest) throw corrupt(engineFile(digest), "other content");
    const { tensors, metadata } = readSafetensors(bytes);
    const location = metadata["location"];
    const checkpoint = {
      step: Number(metadata["step"]),
      tensors,
      ...(location === undefined ? {} : { location }),
    };
    written.set(checkpoint, digest);
    return checkpoint;
  }

  return {
    async load() {
      let text: string;
      try {
        text = await readFile(join(folder, STATE_FILE), "utf8");
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
      try {
        const file = File.parse(JSON.parse(text));
        const engine = await readEngine(file.engine);
        const stable = file.stable === file.engine ? engine : await readEngine(file.stable);
        return { state: file.state, engine, stable };
      } catch (error) {
        if (WaggleError.is(error, "CHECKPOINT_CORRUPT")) throw error;
        throw corrupt(STATE_FILE, error instanceof Error ? error.message : String(error), error);
      }
    },

    async commit({ state, engine, stable }) {
      await mkdir(folder, { recursive: true });
      const file = {
        state,
        engine: await writeEngine(engine),
        stable: await writeEngine(stable),
      };
      const bytes = new TextEncoder().encode(JSON.stringify(file));
      await writeDurably(folder, STATE_FILE, bytes);
      for (const [checkpoint] of written) {
        if (checkpoint !== engine && checkpoint !== stable) written.delete(checkpoint);
      }
      const kept = new Set([engineFile(file.engine), engineFile(file.stable)]);
      for (const name of await readdir(folder)) {
        const isOld = ENGINE_FILE.test(name) && !kept.has(name);
        if (isOld || name.endsWith(".tmp")) await rm(join(folder, name), { force: true });
      }
    },

    async clear() {
      written.clear();
      await rm(join(folder, STATE_FILE), { force: true });
    },
  };
}

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

function engineFile(digest: string): string {
  return `engine-${digest}.safetensors`;
}

function isMissing(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === "ENOENT";
}

function corrupt(name: string, found: string, cause?: unknown): WaggleError {
  return new WaggleError(
    "CHECKPOINT_CORRUPT",
    `${name} is not a complete checkpoint: ${found.slice(0, 300)}; restore the state folder or start with --no-resume`,
    { cause },
  );
}
