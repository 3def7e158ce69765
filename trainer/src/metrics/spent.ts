/** What a run has spent so far. The type and its schema; `run-spending.ts` counts. */
import { z } from "zod";

/** Amounts that a run has spent so far. */
export type Spent = {
  /** Trajectories; the stored and printed name is `episodes`. */
  readonly episodes: number;
  readonly sampledTokens: number;
  /** Tool calls. Calls that a branch shares with its origin are counted once. */
  readonly toolCalls: number;
  /** Turns. Turns that a branch shares with its origin are counted once. */
  readonly turns: number;
  readonly seconds: number;
};

export const Spent: z.ZodType<Spent> = z.strictObject({
  episodes: z.int().min(0),
  sampledTokens: z.int().min(0),
  toolCalls: z.int().min(0),
  turns: z.int().min(0),
  seconds: z.number(),
});
