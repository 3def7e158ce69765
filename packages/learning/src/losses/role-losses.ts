/** A loss on the tokens of one role. */
import { definePart } from "../composition/part-options.ts";
import type { LossPart } from "../composition/part.ts";
import type { StateName } from "../composition/state.ts";

/** A loss of the tokens of one role's trajectories. */
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
