/** `struct-tok`: learns the reward for the form of calls only at the tokens that determine the form. */
import { option, definePart } from "../../composition/part-options.ts";
import { WaggleError } from "@waggle/protocol";
import { groupRelativeAdvantages } from "../../advantages/group-advantages.ts";
import type { LossPart, Minibatch } from "../../composition/part.ts";
import type { StateName } from "../../composition/state.ts";
import { lossPart } from "../loss-part.ts";

/**
 * `inner` on structural tokens only, with the group advantage of one component of the reward.
 *
 * @param component - name of the reward component, such as `format`; its weight in the reward itself should be 0.
 */
export function structuralTokens<N extends StateName>(
  inner: LossPart<N>,
  component?: string,
): LossPart<N> {
  return definePart(
    { component: option(component, "format") },
    ({ component }, [inner]) =>
      lossPart(
        "struct-tok",
        (minibatch, context) => {
          const { structure } = context.ports;
          if (structure === undefined) {
            throw new WaggleError(
              "CAPABILITY_MISSING",
              "loss struct-tok needs the structural tokens; give the run a chat format",
            );
          }
          const ofRow = componentAdvantages(minibatch, component);
          const isStructure = (b: number, t: number): boolean => {
            const sample = minibatch.trajectories[b]?.trajectory.samples[minibatch.samples[b] ?? 0];
            return structure.has(sample?.sequence.tokenIds[t] ?? -1);
          };
          const lossMask = minibatch.lossMask.map((row, b) =>
            row.map((counts, t) => counts && isStructure(b, t)),
          );
          const advantages = lossMask.map((row, b) =>
            Float64Array.from(row, (counts) => (counts ? (ofRow[b] as number) : 0)),
          );
          return inner.compute({ ...minibatch, lossMask, advantages }, context);
        },
        { ...inner, around: [inner] },
      ),
    [inner],
  );
}

/** `[B]` advantage of each row's trajectory among those of its task; 0 for a single one. */
function componentAdvantages({ trajectories }: Minibatch, component: string): number[] {
  const byTask = new Map<string, Map<string, number>>();
  for (const { trajectory, reward } of trajectories) {
    const task = JSON.stringify(trajectory.record.task ?? trajectory.id);
    const ofTask = byTask.get(task) ?? new Map<string, number>();
    ofTask.set(trajectory.id, reward.components?.[component] ?? 0);
    byTask.set(task, ofTask);
  }
  const advantages = new Map<string, number>();
  for (const ofTask of byTask.values()) {
    const ids = [...ofTask.keys()];
    const values = ids.length < 2 ? [0] : groupRelativeAdvantages([...ofTask.values()]);
    for (const [i, id] of ids.entries()) advantages.set(id, values[i] as number);
  }
  return trajectories.map(({ trajectory }) => advantages.get(trajectory.id) ?? 0);
}
