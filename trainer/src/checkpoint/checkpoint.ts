/**
 * Durable checkpoints in a folder, the same format for every training loop:
 *
 * - `state.json`: the loop's kind, its settings, its step and its counters, and the names of the files
 *   below. It is replaced last, by fsync and rename, so a commit is visible completely or not at all, even
 *   after a power failure.
 * - `engine-<sha256>.safetensors`: parameters and optimizer state of one model.
 * - `values-<sha256>.bin`: state that JSON cannot hold, such as maps, tensors and objects that occur more
 *   than once, in the structured clone format of Node.
 *
 * Random numbers are derived from the seed in the settings and from counts, so no generator state is
 * stored.
 */
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { deserialize, serialize } from "node:v8";
import { readSafetensors, writeSafetensors } from "@waggle/model";
import { type EngineCheckpoint, isObject, Sha256, WaggleError } from "@waggle/protocol";
import { z } from "zod";
import { isAbandoned, writeDurably } from "../files/durable-file.ts";

/** Everything that a loop depends on, by name, as JSON. It includes the seed. */
export type Settings = { readonly [name: string]: unknown };

/** The complete state of a training loop between two steps. */
export type Checkpoint<State, Values = null> = {
  readonly settings: Settings;
  /** Learning steps taken. */
  readonly step: number;
  /** Parameters, moments and step of each model, by its name in the loop. */
  readonly engines: ReadonlyMap<string, EngineCheckpoint>;
  /** Counters and other JSON. */
  readonly state: State;
  /** State that JSON cannot hold. */
  readonly values: Values;
};

/** A training loop's part of the format. */
export type CheckpointKind<State, Values = null> = {
  /** Stored with each checkpoint, so that no loop resumes from another one's. */
  readonly name: string;
  readonly state: z.ZodType<State>;
  /** Default: any. */
  readonly settings?: z.ZodType<Settings>;
  /** How the user starts the loop over; part of error messages. */
  readonly startOver: string;
  /** Converts a `state.json` that an earlier release wrote for this loop. */
  readonly upgrade?: (stored: { readonly [name: string]: unknown }) => {
    readonly settings: unknown;
    readonly step: unknown;
    /** Digests of the engines. */
    readonly engines: unknown;
    readonly state: unknown;
  };
  /** The file in which earlier releases stored this loop. */
  readonly earlier?: {
    readonly file: string;
    /** @throws if the file is damaged. */
    readonly read: (bytes: Uint8Array) => Checkpoint<State, Values>;
  };
};

/** Reads and writes the checkpoint of one folder. */
export type Checkpoints<State, Values = null> = {
  /**
   * @returns `null` if there is none.
   * @throws WaggleError `CHECKPOINT_CORRUPT` if a checkpoint exists but cannot be read completely,
   *   `SCHEMA_VERSION_UNSUPPORTED` if a later release wrote it, `CONFLICT` if another loop did.
   */
  readonly load: () => Promise<Checkpoint<State, Values> | null>;
  /** Resolves when the checkpoint would survive a crash of the process or the machine. */
  readonly commit: (checkpoint: Checkpoint<State, Values>) => Promise<void>;
  /** Deletes the checkpoint. */
  readonly clear: () => Promise<void>;
};

/** Version 1 was a trainer's `state.json`; versions 1 and 2 were a run's `checkpoint.bin`. */
const FORMAT_VERSION = 3;
const STATE_FILE = "state.json";
/** Errors about checkpoints that are complete. */
const UNDAMAGED: ReadonlySet<string> = new Set(["CONFLICT", "SCHEMA_VERSION_UNSUPPORTED"]);
const PART_FILE = /^(?:engine-[0-9a-f]{64}\.safetensors|values-[0-9a-f]{64}\.bin)$/;

const Manifest = z.strictObject({
  formatVersion: z.literal(FORMAT_VERSION),
  kind: z.string(),
  settings: z.record(z.string(), z.unknown()),
  step: z.int().min(0),
  engines: z.record(z.string(), Sha256),
  state: z.unknown(),
  values: Sha256.nullable(),
});
type Manifest = z.infer<typeof Manifest>;

/** Opens the checkpoint of a folder, which does not have to exist. */
export function openCheckpoints<State, Values = null>(
  folder: string,
  kind: CheckpointKind<State, Values>,
): Checkpoints<State, Values> {
  /** Engine checkpoints whose files are in the folder. */
  const written = new Map<EngineCheckpoint, string>();

  async function writePart(name: (digest: string) => string, bytes: Uint8Array): Promise<string> {
    const digest = sha256(bytes);
    await writeDurably(folder, name(digest), bytes);
    return digest;
  }

  async function readPart(name: string, digest: string): Promise<Uint8Array> {
    const bytes = new Uint8Array(await readFile(join(folder, name)));
    if (sha256(bytes) !== digest) throw new Error(`${name} has other content`);
    return bytes;
  }

  async function writeEngine(checkpoint: EngineCheckpoint): Promise<string> {
    const known = written.get(checkpoint);
    if (known !== undefined) return known;
    const { step, tensors, location } = checkpoint;
    const metadata = { step: String(step), ...(location === undefined ? {} : { location }) };
    const digest = await writePart(engineFile, writeSafetensors(tensors, metadata));
    written.set(checkpoint, digest);
    return digest;
  }

  async function readEngine(digest: string): Promise<EngineCheckpoint> {
    const { tensors, metadata } = readSafetensors(await readPart(engineFile(digest), digest));
    const { step, location } = metadata;
    const at = { step: Number(step), tensors };
    const checkpoint = location === undefined ? at : { ...at, location };
    written.set(checkpoint, digest);
    return checkpoint;
  }

  async function readManifest(text: string): Promise<Checkpoint<State, Values>> {
    const { settings, step, state, ...parts } = manifestOf(JSON.parse(text), folder, kind);
    const byDigest = new Map<string, EngineCheckpoint>();
    for (const digest of new Set(Object.values(parts.engines))) {
      byDigest.set(digest, await readEngine(digest));
    }
    const engines = new Map(
      Object.entries(parts.engines).map(([name, digest]) => [
        name,
        byDigest.get(digest) as EngineCheckpoint,
      ]),
    );
    const values =
      parts.values === null
        ? null
        : (deserialize(await readPart(valuesFile(parts.values), parts.values)) as unknown);
    return { settings, step, engines, state: state as State, values: values as Values };
  }

  function checked(found: Checkpoint<State, Values> | null): Checkpoint<State, Values> | null {
    if (found === null) return null;
    kind.settings?.parse(found.settings);
    return { ...found, state: kind.state.parse(found.state) };
  }

  async function removeExcept(kept: ReadonlySet<string>): Promise<void> {
    for (const name of await readdir(folder).catch((): string[] => [])) {
      const isOld = PART_FILE.test(name) || name === kind.earlier?.file || isAbandoned(name);
      if (isOld && !kept.has(name)) await rm(join(folder, name), { force: true });
    }
  }

  return {
    async load() {
      for (const file of [STATE_FILE, kind.earlier?.file]) {
        const bytes = file === undefined ? null : await readIfPresent(join(folder, file));
        if (bytes === null) continue;
        try {
          if (file === STATE_FILE) {
            return checked(await readManifest(new TextDecoder().decode(bytes)));
          }
          return checked(kind.earlier?.read(bytes) ?? null);
        } catch (error) {
          if (WaggleError.is(error) && UNDAMAGED.has(error.code)) throw error;
          throw corrupt(join(folder, file as string), kind, error);
        }
      }
      return null;
    },

    async commit({ settings, step, state, values, ...saved }) {
      await mkdir(folder, { recursive: true });
      const engines: { [name: string]: string } = {};
      for (const [name, engine] of saved.engines) engines[name] = await writeEngine(engine);
      const manifest: Manifest = {
        formatVersion: FORMAT_VERSION,
        kind: kind.name,
        settings,
        step,
        engines,
        state,
        values: values === null ? null : await writePart(valuesFile, serialize(values)),
      };
      const text = JSON.stringify({ ...manifest, digest: digestOf(manifest) });
      await writeDurably(folder, STATE_FILE, new TextEncoder().encode(text));
      const newest = new Set(saved.engines.values());
      for (const engine of written.keys()) if (!newest.has(engine)) written.delete(engine);
      const kept = Object.values(engines).map(engineFile);
      if (manifest.values !== null) kept.push(valuesFile(manifest.values));
      await removeExcept(new Set(kept));
    },

    async clear() {
      written.clear();
      await rm(join(folder, STATE_FILE), { force: true });
      await removeExcept(new Set());
    },
  };
}

/** Checks version, kind and digest. */
function manifestOf<State, Values>(
  stored: unknown,
  folder: string,
  kind: CheckpointKind<State, Values>,
): Manifest {
  const found = isObject(stored) ? stored : {};
  const { digest, ...manifest } = found;
  if (manifest["kind"] === undefined && kind.upgrade !== undefined) {
    const [formatVersion, values] = [FORMAT_VERSION, null];
    return Manifest.parse({ formatVersion, kind: kind.name, ...kind.upgrade(found), values });
  }
  const version = manifest["formatVersion"];
  if (typeof version === "number" && version > FORMAT_VERSION) {
    throw new WaggleError(
      "SCHEMA_VERSION_UNSUPPORTED",
      `the checkpoint in ${folder} has version ${version}; this release reads up to ${FORMAT_VERSION}. Update it, or start over ${kind.startOver}`,
    );
  }
  const read = Manifest.parse(manifest);
  if (digest !== digestOf(manifest)) throw new Error("its digest does not match its content");
  if (read.kind === kind.name) return read;
  throw new WaggleError(
    "CONFLICT",
    `the checkpoint in ${folder} belongs to ${read.kind}, not to ${kind.name}; choose another folder`,
  );
}

function digestOf(manifest: unknown): string {
  return sha256(new TextEncoder().encode(JSON.stringify(manifest)));
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function engineFile(digest: string): string {
  return `engine-${digest}.safetensors`;
}

function valuesFile(digest: string): string {
  return `values-${digest}.bin`;
}

async function readIfPresent(path: string): Promise<Uint8Array | null> {
  try {
    return new Uint8Array(await readFile(path));
  } catch (error) {
    if ((error as { code?: unknown } | null)?.code === "ENOENT") return null;
    throw error;
  }
}

function corrupt(
  path: string,
  { startOver }: Pick<CheckpointKind<unknown>, "startOver">,
  cause: unknown,
): WaggleError {
  const found = cause instanceof Error ? cause.message : String(cause);
  return new WaggleError(
    "CHECKPOINT_CORRUPT",
    `${path} is not a complete checkpoint: ${found.slice(0, 300)}; restore the folder or start over ${startOver}`,
    { cause },
  );
}
