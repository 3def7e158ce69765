/** Progress events of a recipe's run, and their rows in the log of metrics. */
import { shareSolved } from "@waggle/evaluation";
import type { HeldOut } from "../evaluation/held-out.ts";
import type { LoggedRow } from "./logged-row.ts";
import type { Spent } from "./spent.ts";

/** A learning step or an evaluation. */
export type RunEvent =
  | {
      readonly event: "step";
      readonly stage: string;
      readonly step: number;
      readonly steps: number;
      readonly spent: Spent;
      readonly metrics: { readonly [name: string]: number };
    }
  | {
      readonly event: "evaluated";
      readonly stage: string;
      readonly step: number;
      readonly heldOut: HeldOut;
    };

/**
 * The event as a row.
 *
 * @param stepsDone - learning steps of the run, over all stages; of a step, including it.
 */
export function runEventRow(event: RunEvent, stepsDone: number): Omit<LoggedRow, "at"> {
  const { stage, step: stageStep } = event;
  if (event.event === "step") {
    const { metrics, spent, steps: stageSteps } = event;
    return { event: "step", step: stepsDone, stage, stageStep, stageSteps, metrics, spent };
  }
  const { successes, ...means } = event.heldOut;
  const metrics = { success: shareSolved(successes), ...means };
  return { event: "evaluated", step: stepsDone, stage, stageStep, metrics, successes };
}
