/** Parts of training that is split between who owns the data and who owns the model. */
import type { FilterPart, LossPart } from "../composition/part.ts";
import { privatizedTokens } from "../filters/privatized.ts";
import { changeTrajectories, filterPart } from "./filter-part.ts";

/** Given tokens replaced with some chance by others of the batch, before anything is computed of them. */
export function privatize(share: number): FilterPart {
  return filterPart("privatize", (groups, { random }) => {
    const all = groups.flatMap(({ trajectories }) =>
      trajectories.flatMap(({ trajectory }) => trajectory.samples),
    );
    const pool = [...new Set(all.flatMap(({ sequence }) => sequence.tokenIds))];
    return changeTrajectories(groups, (scored) => ({
      ...scored,
      trajectory: {
        ...scored.trajectory,
        samples: scored.trajectory.samples.map((sample) => ({
          ...sample,
          sequence: {
            ...sample.sequence,
            tokenIds: privatizedTokens(
              sample.sequence.tokenIds,
              sample.lossMask.map((said) => !said),
              pool,
              share,
              random,
            ),
          },
        })),
      },
    }));
  });
}

/** The layers from a share of the depth on: those below, and the embedding, stay with the owner as they are. */
export function upperLayers(from: number): NonNullable<LossPart["trains"]> {
  return (names) => {
    const layerOf = (name: string): number => Number(/layers\.(\d+)/.exec(name)?.[1] ?? -1);
    const split = Math.floor(from * (1 + Math.max(...names.map(layerOf))));
    return new Set(names.filter((name) => layerOf(name) >= split));
  };
}
