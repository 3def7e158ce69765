/** A run in one folder, which the same command with the same settings continues. */
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
 * @param given.resumes - true: there must be a run to resume; `undefined`: resume it if there is one;
 *   false: start over
 * @throws WaggleError `NOT_FOUND` if there is nothing to resume, `CONFLICT` if the folder has a run with
 *   other settings, `CHECKPOINT_CORRUPT`.
 */
export async function openResumableRun<State, Values>(
  kind: CheckpointKind<State, Values>,
  folder: string,
  given: { readonly settings: Settings; readonly resumes: boolean | undefined },
): Promise<ResumableRun<State, Values>> {
  const checkpoints = openCheckpoints(folder, kind);
  const settings = canonical(given.settings);
  const found = given.resumes === false ? null : await checkpoints.load();
  if (found !== null) requireSame(folder, found.settings, settings, kind.startOver);
  else if (given.resumes === true) {
    throw new WaggleError(
      "NOT_FOUND",
      `there is no checkpoint to resume in ${folder}; start it without --resume`,
    );
  } else await checkpoints.clear();
  return {
    found,
    save: (saved) => checkpoints.commit({ ...saved, settings }),
    finish: () => checkpoints.clear(),
  };
}
