/** Chooses the speakers whose tokens carry loss. */
import type { FilterPart } from "../composition/part.ts";
import { userSpans } from "../composition/roles.ts";
import { changeTrajectories, filterPart } from "./filter-part.ts";

/** Adds the user's tokens to the loss. */
export function speakerMask(): FilterPart {
  return filterPart("speaker-mask", (groups) =>
    changeTrajectories(groups, (rewarded) => ({
      ...rewarded,
      lossMask: rewarded.lossMask.map((mask, sample) => {
        const spoken = [...mask];
        for (const [start, end] of userSpans(rewarded.trajectory, sample)) {
          spoken.fill(true, start, end);
        }
        return spoken;
      }),
    })),
  );
}
