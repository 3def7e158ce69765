/** Imitation of the proposed action with the highest value. */
import { lastTokenOf, PROPOSAL } from "../../advantages/chunk-targets.ts";
import type { LossPart } from "../../composition/part.ts";
import { supervisedLoss } from "../imitation/supervised-loss.ts";
import { lossPart, present } from "../loss-part.ts";

/** `ce` of the policy's proposal with the highest value in each stored state. */
export function bestProposals(): LossPart<"critic"> {
  return lossPart(
    "ce",
    (minibatch) => {
      const values = present(minibatch.values, "ce", "values of a critic");
      const best = new Map<string, { readonly row: number; readonly value: number }>();
      for (const [row, rewarded] of minibatch.trajectories.entries()) {
        const { branch } = rewarded.trajectory;
        if (rewarded.trajectory.role !== PROPOSAL || branch === null) continue;
        const key = `${branch.trajectory}/${branch.turn}`;
        const value = values[row]?.[lastTokenOf(rewarded, minibatch.samples[row] ?? 0)] ?? 0;
        const known = best.get(key);
        if (known === undefined || value > known.value) best.set(key, { row, value });
      }
      const chosen = new Set(Array.from(best.values(), ({ row }) => row));
      const lossMask = minibatch.lossMask.map((mask, row) =>
        mask.map((counts) => counts && chosen.has(row)),
      );
      return supervisedLoss({ ...minibatch, lossMask });
    },
    { needs: ["critic"] },
  );
}
