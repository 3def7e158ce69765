/** A run in one folder, for commands that continue it with `--resume`. */
import { WaggleError } from "@waggle/protocol";
import {
  type Checkpoint,
  type CheckpointKind,
  openCheckpoints,
  type Settings,
} from "./checkpoint.ts";
import { canonical, requireSame } from "./run-settings.ts";

export type ResumableRun<State, Values> = {
  /** State saved by an earlier process; `null` = the run begins. */
  readonly found: Checkpoint<State, Values> | null;
  /** Resolves when the run would survive the process. */
  readonly save: (saved: Omit<Checkpoint<State, Values>, "settings">) => Promise<void>;
  /** Deletes the checkpoint of a finished run. */
  readonly finish: () => Promise<void>;
};

/**
 * @throws WaggleError `NOT_FOUND` if there is nothing to resume, `CONFLICT` if the folder has a run with
 *   other settings, `CHECKPOINT_CORRUPT`.
 */
export async function openResumableRun<State, Values>(
  kind: CheckpointKind<State, Values>,
  folder: string,
  given: { readonly settings: Settings; readonly resumes: boolean },
): Promise<ResumableRun<State, Values>> {
  const checkpoints = openCheckpoints(folder, kind);
  const settings = canonical(given.settings);
  const found = given.resumes ? await checkpoints.load() : null;
  if (found !== null) requireSame(folder, found.settings, settings, kind.startOver);
  else if (given.resumes) {
    throw new WaggleError(
      "NOT_FOUND",
      `there is no checkpoint to resume in ${folder}; start ${kind.startOver}`,
    );
  } else await checkpoints.clear();
  return {
    found,
    save: (saved) => checkpoints.commit({ ...saved, settings }),
    finish: () => checkpoints.clear(),
  };
}
