/** Waits for the first policy if a page is opened before the trainer has published a base model. */
import { scheduleTimeout } from "@waggle/collector";
import type { Schedule } from "@waggle/collector";
import { WaggleError } from "@waggle/protocol";
import type { PolicyManifest } from "@waggle/protocol";

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 5000;

/** `status.detail` while the page waits. */
export const WAITING_FOR_POLICY = "waiting for the site's first policy";

/** Options of `untilPublished`. */
export type FirstPolicyOptions = {
  readonly read: () => Promise<PolicyManifest>;
  /** Called before each wait. */
  readonly onWait: () => void;
  /** False once the policy is no longer needed; the `NOT_FOUND` error is then thrown. */
  readonly isWanted: () => boolean;
  readonly schedule?: Schedule | undefined;
};

/** Resolves with the manifest once the edge has one. @throws every failure of `read` except `NOT_FOUND` */
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
