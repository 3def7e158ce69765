/** An adapter for each role, and who acts when. */
import { option, definePart } from "../composition/part-options.ts";
import type { Roles } from "../composition/roles.ts";
import { resource, type StatePart } from "../composition/state.ts";

/**
 * Adapters by role over one base; every stage that has them says who of them learns, default all. The
 * others act and stay as they are.
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

/** Turns go round: the first role begins, the next follows. */
export function takingTurns(names: readonly string[]): NonNullable<Roles["roleOf"]> {
  return ({ turn }) => names[turn % names.length] as string;
}

/** Tasks are shared out by their level: each role has those of one. */
export function byLevel(names: readonly string[]): NonNullable<Roles["roleOf"]> {
  return ({ task }) => names[task.seed % names.length] as string;
}
