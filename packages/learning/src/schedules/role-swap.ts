/** Rotates the members of a team through the roles. */
import type { SchedulePart } from "../composition/stage.ts";

/** `role-swap`: every `period` steps, each member of a team takes the next role. */
export function roleSwap(period: number): SchedulePart {
  return {
    slot: "schedule",
    part: "role-swap",
    at: (settings, { step }) => ({ ...settings, roleShift: Math.floor(step / period) }),
  };
}
