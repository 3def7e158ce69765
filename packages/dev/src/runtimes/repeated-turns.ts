/** Repeats recorded turns in the runtime that imports this: a page or a Worker. Values cross as JSON. */
import { type EnvironmentSpec, type RecordedRollout, repeatedRollout } from "@waggle/agent/define";

/** The bundle's entry is in the user's project, which may not have this package. */
export { withReward } from "@waggle/environments";

/** What an environment does with recorded turns, until one of them fails. */
export type Repeated = {
  readonly again: readonly RecordedRollout[];
  /** Message of the error that ended it. */
  readonly error: string | null;
};

/** Plays the turns of all records. @param recorded - rollouts as JSON. @returns `Repeated` as JSON. */
export async function repeatedTurns(spec: EnvironmentSpec, recorded: string): Promise<string> {
  const again: RecordedRollout[] = [];
  let error: string | null = null;
  try {
    for (const rollout of JSON.parse(recorded) as RecordedRollout[]) {
      again.push(await repeatedRollout(spec, rollout));
    }
  } catch (caught) {
    error = caught instanceof Error ? caught.message : String(caught);
  }
  return JSON.stringify({ again, error } satisfies Repeated);
}
