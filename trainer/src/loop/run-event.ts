/** Progress events of a run. */
import type { HeldOut } from "../evaluation/held-out.ts";
import type { Spent } from "./run-spending.ts";

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
