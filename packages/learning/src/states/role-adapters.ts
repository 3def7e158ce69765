/** An adapter for each role, and the rules for which role acts. */
import { option, definePart } from "../composition/part-options.ts";
import type { Roles } from "../composition/roles.ts";
import { resource, type StatePart } from "../composition/state.ts";

/**
 * Adapters by role over one base. Each stage names the roles that it trains; default: all. The others act and
 * stay frozen.
 */
export function roleAdapters(
  names: readonly string[],
  { learn, ...more }: Partial<Omit<Roles, "names">> = {},
): StatePart<"role-adapters"> {
  const learners = { ...(learn === undefined ? {} : { chosen: learn }), all: names };
  const [first = "all"] = Object.keys(learners);
  return definePart(
    { learners: option(undefined, first, [...Object.keys(learners), ...names]) },
    (given) => ({
      ...resource("role-adapters"),
      roles: {
        names,
        learn: learners[given.learners as keyof typeof learners] ?? [given.learners],
        ...more,
      },
    }),
  );
}

/** Roles take turns in order. */
export function takingTurns(names: readonly string[]): NonNullable<Roles["roleOf"]> {
  return ({ turn }) => names[turn % names.length] as string;
}

/** Each role gets the tasks of one difficulty level. */
export function byLevel(names: readonly string[]): NonNullable<Roles["roleOf"]> {
  return ({ task }) => names[task.seed % names.length] as string;
}
