/** Names of what a policy learns from, for counts and switches. */
import { z } from "zod";

/**
 * `verifier`, `thumb`, `undo`, `correction`, `edit`, `staff`, `message:` and the kind of a message after the answer, `outcome:`
 * and the name of a metric, or what a judge says: `judge:messages` about messages, `judge:requests` about new trials at
 * requests.
 */
export type SignalName = z.infer<typeof SignalName>;
export const SignalName = z
  .string()
  .regex(
    /^(?:verifier|thumb|undo|correction|edit|staff|message:[a-z][a-z-]{0,31}|judge:messages|judge:requests|outcome:[a-z][a-zA-Z0-9_-]{0,63})$/,
    "must be verifier, thumb, undo, correction, edit, staff, message:<kind>, judge:messages, judge:requests or outcome:<metric>",
  );

/** Reason of a skipped trajectory without any other signal than those that an operator stopped. */
export const SIGNAL_STOPPED = "signal-stopped";
