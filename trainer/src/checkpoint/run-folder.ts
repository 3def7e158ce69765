/**
 * A run on disk. Its complete state is one file, written to a temporary name and renamed, so a kill
 * leaves the previous save. Its measurements are JSON lines in a file beside it.
 */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { deserialize, serialize } from "node:v8";
import type { TensorMap } from "@waggle/protocol";
import { isObject, WaggleError } from "@waggle/protocol";
import type { RunEvent } from "../loop/run-event.ts";
import { openRunEvents } from "../metrics/run-events.ts";
import { writeDurably } from "./checkpoint-store.ts";
import type { RunKeeper, SavedRun } from "./run-keeping.ts";
import { migratedRun, RUN_VERSION } from "./run-migration.ts";

/** Everything that a run depends on, by name. Runs with equal settings are the same run. */
type RunSettings = { readonly [name: string]: unknown };

export type RunFolderOptions = {
  /** Default: a folder below `runs`, named by the settings. */
  readonly folder?: string | undefined;
  /** Default `.waggle/runs`. */
  readonly runs?: string | undefined;
  readonly settings: RunSettings;
  /**
   * Default settings of the recipe. A setting that did not exist in the release that began the run is taken
   * to have had this value.
   */
  readonly defaults?: RunSettings | undefined;
  /** False: the run starts over. */
  readonly resumes: boolean;
  /** Whether to write TensorBoard event files as well. Default false. */
  readonly tensorboard?: boolean;
} & Pick<RunKeeper, "every" | "isStopping">;

/** An open run folder, with the keeper that saves the run in it. */
export type RunFolder = {
  readonly path: string;
  readonly keeper: RunKeeper;
  /** Stores an event at once. A resumed run discards the events after its last save. */
  readonly note: (event: RunEvent) => void;
  /** Marks the run as finished and deletes its checkpoint. */
  readonly finish: () => Promise<void>;
};

const CHECKPOINT = "checkpoint.bin";
const DIGEST_LENGTH = 64;

/**
 * @throws WaggleError `CONFLICT` if the folder has a run with other settings, `CHECKPOINT_CORRUPT`.
 */
export async function openRunFolder({
  folder,
  runs = ".waggle/runs",
  settings,
  defaults = {},
  resumes,
  ...of
}: RunFolderOptions): Promise<RunFolder> {
  const given = canonical(settings);
  const named = folder ?? join(runs, nameOf(settings));
  const older =
    folder === undefined && resumes ? await olderRun(runs, named, given, defaults) : null;
  const path = older ?? named;
  const found = resumes ? await read(path) : null;
  if (found !== null) requireSame(path, withAdded(found.settings, defaults), given);
  await mkdir(path, { recursive: true });
  const events = await openRunEvents(path, found?.run.events ?? [], of.tensorboard ?? false);
  return {
    path,
    keeper: {
      ...of,
      found: found?.run ?? null,
      save: async (run) => {
        await events.replace(run.events);
        const bytes = serialize({ version: RUN_VERSION, settings: given, run });
        const digest = Buffer.from(digestOf(bytes), "latin1");
        await writeDurably(path, CHECKPOINT, Buffer.concat([digest, bytes]));
      },
    },
    note: events.note,
    finish: async () => {
      await events.settled();
      await rm(join(path, CHECKPOINT), { force: true });
    },
  };
}

/** A digest of names, shapes and values of tensors. */
export function tensorsDigest(tensors: TensorMap): string {
  const hash = createHash("sha256");
  for (const [name, { shape, data }] of tensors) {
    hash
      .update(`${name} ${shape.join()} `)
      .update(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  }
  return hash.digest("hex");
}

function nameOf(settings: RunSettings): string {
  const hash = digestOf(Buffer.from(JSON.stringify(settings))).slice(0, 8);
  return `${prefixOf(settings)}${hash}`;
}

function prefixOf(settings: RunSettings): string {
  return `${String(settings["recipe"])}-${String(settings["environment"])}-`;
}

/**
 * Finds a run with these settings that an earlier release stored under another name. The name is a hash
 * of the settings, so it changes when settings are added.
 *
 * @returns `null` if there is none, or if the current name exists.
 */
async function olderRun(
  runs: string,
  named: string,
  given: RunSettings,
  defaults: RunSettings,
): Promise<string | null> {
  if (existsSync(join(named, CHECKPOINT))) return null;
  const names = await readdir(runs).catch((): string[] => []);
  for (const name of names.filter((one) => one.startsWith(prefixOf(given)))) {
    const found = await read(join(runs, name)).catch(() => null);
    if (found === null || !isDeepStrictEqual(withAdded(found.settings, defaults), given)) continue;
    return join(runs, name);
  }
  return null;
}

type Stored = { readonly settings: RunSettings; readonly run: SavedRun };
/** The format on disk; version 1 has no version number. */
type StoredFile = Stored & { readonly version?: number };

async function read(path: string): Promise<Stored | null> {
  let file: Buffer;
  try {
    file = await readFile(join(path, CHECKPOINT));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
  const bytes = file.subarray(DIGEST_LENGTH);
  if (digestOf(bytes) !== file.subarray(0, DIGEST_LENGTH).toString("latin1")) {
    throw new WaggleError(
      "CHECKPOINT_CORRUPT",
      `the checkpoint in ${path} is damaged; start the run over with --no-resume`,
    );
  }
  const { version = 1, settings, run } = deserialize(bytes) as StoredFile;
  if (version > RUN_VERSION) {
    throw new WaggleError(
      "SCHEMA_VERSION_UNSUPPORTED",
      `the checkpoint in ${path} has version ${version}; this release reads up to ${RUN_VERSION}. Update it, or start over with --no-resume`,
    );
  }
  return { settings, run: version === 1 ? (migratedRun(run) as SavedRun) : run };
}

/** The settings of a stored run, with the defaults of recipe settings that were added later. */
function withAdded(stored: RunSettings, defaults: RunSettings): RunSettings {
  const { settings } = stored;
  if (!isObject(settings)) return stored;
  return { ...stored, settings: canonical({ ...defaults, ...settings }) };
}

function requireSame(path: string, before: RunSettings, now: RunSettings): void {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  const differing = names.filter((name) => !isDeepStrictEqual(before[name], now[name]));
  if (differing.length === 0) return;
  const words = differing.map(
    (name) => `${name} was ${JSON.stringify(before[name])} and is now ${JSON.stringify(now[name])}`,
  );
  throw new WaggleError(
    "CONFLICT",
    `the unfinished run in ${path} has other settings: ${words.join("; ")}. Run it with its own settings to go on, pass --no-resume to start over, or choose another folder with --run`,
  );
}

/** As JSON stores it, so that settings that are read back compare equal. */
function canonical(settings: RunSettings): RunSettings {
  return JSON.parse(JSON.stringify(settings)) as RunSettings;
}

function digestOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
