/** What crosses the channel between a cell of the study and its learner: records with what people said, and an adapter. */
import type { LeasedTrajectory } from "@waggle/protocol";
import type { Learned, LearnerStart } from "./cell-learner.ts";

/** The first message, with the folder of the base model, and then requests. Each is answered before the next is sent. */
export type ToLearner =
  | { readonly model: string; readonly start: LearnerStart }
  | { readonly requests: readonly LeasedTrajectory[] };

/** The answer; the first message has none to give back. */
export type FromLearner = { readonly learned: Learned | null } | { readonly error: string };
