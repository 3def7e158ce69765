/** A page may be opened before the trainer has published a base model. It waits for one. */
import { scheduleTimeout } from "@waggle/collector";
import type { Schedule } from "@waggle/collector";
import { WaggleError } from "@waggle/protocol";
import type { PolicyManifest } from "@waggle/protocol";

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 5000;

export type FirstPolicyOptions = {
  readonly read: () => Promise<PolicyManifest>;
  /** Called before each wait. */
  readonly onWait: () => void;
  /** False once the policy is no longer needed; the refusal is then thrown. */
  readonly isWanted: () => boolean;
  readonly schedule?: Schedule | undefined;
};

/** The manifest as soon as the edge has one. @throws every failure of `read` except `NOT_FOUND` */
export async function untilPublished(options: FirstPolicyOptions): Promise<PolicyManifest> {
  const { read, onWait, isWanted, schedule = scheduleTimeout } = options;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    try {
      return await read();
    } catch (error) {
      if (!WaggleError.is(error, "NOT_FOUND") || !isWanted()) throw error;
    }
    onWait();
    await new Promise<void>((resolve) => void schedule(resolve, waitMs));
  }
}
