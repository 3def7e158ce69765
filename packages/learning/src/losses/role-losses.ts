/** Losses of single roles. */
import { definePart } from "../composition/part-options.ts";
import type { LossPart } from "../composition/part.ts";
import type { StateName } from "../composition/state.ts";

/** `loss` restricted to the trajectories of one role. */
export function lossOfRole<N extends StateName>(role: string, loss: LossPart<N>): LossPart<N> {
  return definePart(
    {},
    (_, [inner]): LossPart<N> => ({
      ...inner,
      around: [inner],
      compute: (minibatch, context) =>
        inner.compute(
          {
            ...minibatch,
            lossMask: minibatch.lossMask.map((mask, row) =>
              minibatch.trajectories[row]?.trajectory.role === role ? mask : mask.map(() => false),
            ),
          },
          context,
        ),
    }),
    [loss],
  );
}
