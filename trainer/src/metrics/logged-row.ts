/** A row of the log of metrics. The type, and the schemas of its parts; `metrics-row.ts` reads and writes it. */
import { z } from "zod";
import type { Spent } from "./spent.ts";

/** A learning step or an evaluation. */
export type LoggedRow = {
  readonly event: "step" | "evaluated";
  /** Learning steps taken by the run so far, over all its stages. */
  readonly step: number;
  /** When it happened; `null` in rows of earlier releases, which did not say. */
  readonly at: string | null;
  /** Finite numbers, or NaN. */
  readonly metrics: { readonly [name: string]: number };
  /** The stage of a recipe; absent in loops without stages. */
  readonly stage?: string | undefined;
  /** Steps taken in this stage. */
  readonly stageStep?: number | undefined;
  /** Steps of the whole stage. */
  readonly stageSteps?: number | undefined;
  readonly spent?: Spent | undefined;
  /** `[tasks]` whether the evaluation solved each task. */
  readonly successes?: readonly boolean[] | undefined;
};

export const count: z.ZodType<number> = z.int().min(0);

/** JSON stores a number that is not finite as null. */
export const measured: z.ZodType<number> = z
  .number()
  .nullable()
  .transform((value) => value ?? Number.NaN);
