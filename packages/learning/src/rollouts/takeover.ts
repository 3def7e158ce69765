/** `takeover`: rollouts in which a person acts for some turns after failures, and then gives back control. */
import { option, definePart } from "../composition/part-options.ts";
import type { RolloutPart } from "../composition/part.ts";
import type { RolloutStrategy } from "../composition/rollout-strategy.ts";
import { many, rolloutPart } from "./rollout-part.ts";

function takeoverStrategy(
  size: number,
  takeover: { readonly failures: number; readonly turns: number },
): RolloutStrategy {
  return {
    name: "takeover",
    options: { size, ...takeover },
    rollOut: (driver) =>
      driver.byTask((task, at) => many(size, (i) => driver.rollOut(task, [at, i], { takeover }))),
  };
}

/** `takeover`: after `failures` consecutive failed turns, a person takes over for `turns` turns. */
export function takeover(
  size?: number,
  { failures, turns }: { readonly failures?: number; readonly turns?: number } = {},
): RolloutPart<never, "single"> {
  return definePart(
    { takeoverSize: option(size, 1), failures: option(failures, 1), turns: option(turns, 2) },
    ({ takeoverSize: size, failures, turns }) =>
      rolloutPart("takeover", "single", takeoverStrategy(size, { failures, turns })),
  );
}
