/** The folder of a recipe's run: its checkpoint and its metrics. */
import { createHash } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { TensorMap } from "@waggle/protocol";
import { openMetricsLog } from "../metrics/metrics-log.ts";
import { type RunEvent, runEventRow } from "../metrics/run-event.ts";
import { openCheckpoints, type Settings } from "../checkpoint/checkpoint.ts";
import { RECIPE_RUN, runCheckpoint, runOf } from "./recipe-checkpoint.ts";
import type { RunKeeper } from "./run-keeping.ts";
import {
  canonical,
  folderNameOf,
  folderPrefixOf,
  requireSame,
  withAdded,
} from "../checkpoint/run-settings.ts";

export type RunFolderOptions = {
  /** Default: a folder below `runs`, named by the settings. */
  readonly folder?: string | undefined;
  /** Default `.waggle/runs`. */
  readonly runs?: string | undefined;
  /** Runs with equal settings are the same run. */
  readonly settings: Settings;
  /**
   * Default settings of the recipe. A setting that did not exist in the release that began the run is taken
   * to have had this value.
   */
  readonly defaults?: Settings | undefined;
  /** False: the run starts over. */
  readonly resumes: boolean;
  /** Whether to write TensorBoard event files as well. Default false. */
  readonly tensorboard?: boolean;
} & Pick<RunKeeper, "every" | "isStopping">;

/** An open run folder, with the keeper that saves the run in it. */
export type RunFolder = {
  readonly path: string;
  readonly keeper: RunKeeper;
  /** Stores an event at once. A resumed run discards the events after its last saved step. */
  readonly note: (event: RunEvent) => void;
  /** Marks the run as finished and deletes its checkpoint. */
  readonly finish: () => Promise<void>;
};

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
  const named = folder ?? join(runs, folderNameOf(settings));
  const older =
    folder === undefined && resumes ? await olderRun(runs, named, given, defaults) : null;
  const path = older ?? named;
  const checkpoints = openCheckpoints(path, RECIPE_RUN);
  const checkpoint = resumes ? await checkpoints.load() : null;
  if (checkpoint !== null) {
    requireSame(path, withAdded(checkpoint.settings, defaults), given, RECIPE_RUN.startOver);
  }
  const found = checkpoint === null ? null : runOf(checkpoint);
  const from = checkpoint?.step ?? null;
  const metrics = await openMetricsLog(path, { tensorboard: of.tensorboard, from });
  let stepsDone = from ?? 0;
  return {
    path,
    keeper: {
      ...of,
      found,
      save: async (run) => {
        await metrics.settled();
        await checkpoints.commit(runCheckpoint(given, run));
      },
    },
    note: (event) => {
      if (event.event === "step") stepsDone += 1;
      metrics.add(runEventRow(event, stepsDone));
    },
    finish: async () => {
      await metrics.settled();
      await checkpoints.clear();
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

/**
 * Finds a run with these settings that an earlier release stored under another name. The name is a hash
 * of the settings, so it changes when settings are added.
 *
 * @returns `null` if there is none, or if the folder with the current name has a checkpoint.
 */
async function olderRun(
  runs: string,
  named: string,
  given: Settings,
  defaults: Settings,
): Promise<string | null> {
  // A checkpoint that cannot be read is reported when the folder is opened.
  const isThere = await settingsIn(named).catch(() => given);
  if (isThere !== null) return null;
  const names = await readdir(runs).catch((): string[] => []);
  for (const name of names.filter((one) => one.startsWith(folderPrefixOf(given)))) {
    const path = join(runs, name);
    const settings = await settingsIn(path).catch(() => null);
    if (settings === null) continue;
    if (isDeepStrictEqual(withAdded(settings, defaults), given)) return path;
  }
  return null;
}

async function settingsIn(path: string): Promise<Settings | null> {
  return (await openCheckpoints(path, RECIPE_RUN).load())?.settings ?? null;
}
