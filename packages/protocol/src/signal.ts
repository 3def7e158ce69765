/** Names of what a policy learns from, for counts and switches. */
import { z } from "zod";

/**
 * `verifier`, `thumb`, `correction`, `edit`, `message:` and the kind of a message after the answer, or `outcome:` and the
 * name of a metric.
 */
export type SignalName = z.infer<typeof SignalName>;
export const SignalName = z
  .string()
  .regex(
    /^(?:verifier|thumb|correction|edit|message:[a-z][a-z-]{0,31}|outcome:[a-z][a-zA-Z0-9_-]{0,63})$/,
    "must be verifier, thumb, correction, edit, message:<kind> or outcome:<metric>",
  );

/** Reason of a skipped trajectory without any other signal than those that an operator stopped. */
export const SIGNAL_STOPPED = "signal-stopped";
