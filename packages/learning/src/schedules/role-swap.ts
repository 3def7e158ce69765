/** The members of a team move on to the next role. */
import type { SchedulePart } from "../composition/stage.ts";

/** `role-swap`: every `period` steps the members of a team take the roles after their own. */
export function roleSwap(period: number): SchedulePart {
  return {
    slot: "schedule",
    part: "role-swap",
    at: (settings, { step }) => ({ ...settings, roleShift: Math.floor(step / period) }),
  };
}
