/** Keeps only trajectories that their visitor corrected in words. */
import type { FilterPart } from "../composition/part.ts";
import { filterPart, keepTrajectories } from "./filter-part.ts";
import { selectBy } from "./selection.ts";

/** `corrected`: drops trajectories without the text of a correction. */
export function corrected(): FilterPart {
  return filterPart("corrected", (groups) =>
    keepTrajectories(groups, (all) =>
      selectBy(all, ({ trajectory: { verification } }) =>
        typeof verification.parts["correction"] === "string" ? null : "no-correction",
      ),
    ),
  );
}
