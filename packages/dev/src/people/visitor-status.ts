/** What is known about the pages of visitors and about what people did in them. */
import type { PageStatus } from "@waggle/embed/practice";
import type { Reaction } from "./visit.ts";

/** Counts of the people of one desk. */
export type PeopleProgress = {
  /** Messages sent. A task may take several. */
  readonly requests: number;
  /** Tasks whose person said how the answer was: the sum of the next two. */
  readonly answered: number;
  readonly good: number;
  readonly bad: number;
  /** Tasks that ended with an error. */
  readonly failed: number;
};

/** The status of a page, and of the people who use it. */
export type VisitorStatus = PageStatus & { readonly people: PeopleProgress };

/** When a person said something about an answer. */
export type SaidAt = Pick<Reaction, "trajectoryId" | "at">;

export const NO_PEOPLE: PeopleProgress = { requests: 0, answered: 0, good: 0, bad: 0, failed: 0 };
