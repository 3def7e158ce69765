/** The environment whose only task is a proposed one. How a text is read as a task is up to the environment. */
import type { RandomSource, Task, TaskReference } from "@waggle/protocol";
import type {
  Demonstrator,
  EnvironmentSpec,
  JudgedEnvironment,
  TaskProposals,
} from "./environment-spec.ts";

/** The functions of an environment for a given instance instead of the one drawn from the seed. */
type OfInstance<Instance> = {
  readonly task: (reference: TaskReference, instance: Instance) => Task;
  readonly create: (reference: TaskReference, instance: Instance) => JudgedEnvironment;
  readonly demonstrator: (
    reference: TaskReference,
    random: RandomSource,
    mistakes: number,
    instance: Instance,
  ) => Demonstrator;
};

/** @param proposed - the instance that a text proposes; `null` if it is not a valid task. */
export function proposalSolver<Instance>(
  spec: EnvironmentSpec,
  proposed: (text: string, reference: TaskReference) => Instance | null,
  { task, create, demonstrator }: OfInstance<Instance>,
): TaskProposals["solver"] {
  return (text, about) => {
    const given = proposed(text, about);
    if (given === null) return null;
    return {
      ...spec,
      task: (reference) => task(reference, given),
      create: (reference) => create(reference, given),
      demonstrator: (reference, random, mistakes) =>
        demonstrator(reference, random, mistakes, given),
    };
  };
}
