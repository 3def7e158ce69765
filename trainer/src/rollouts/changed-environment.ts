/**
 * The wrappers that a rollout strategy puts around an environment. The policy meets the wrapped
 * environment; the environment's own verifier judges. `packages/learning` defines the changes.
 */
import {
  explained,
  type EnvironmentWrapper,
  imagined,
  limited,
  retrying,
  searched,
  silentAfter,
  toolless,
  trials,
  underContract,
  type WorldModel,
} from "@waggle/environments";
import type { EnvironmentSpec } from "@waggle/environments";
import { REFUSED, drawEnvironment, goesOn } from "@waggle/learning";
import type { EnvironmentChange } from "@waggle/learning";
import { seededRandom, type TaskReference, WaggleError } from "@waggle/protocol";

/** Models that can simulate tool results: the acting policy, and one fitted to logged calls. */
export type WorldModels = {
  readonly policy?: WorldModel | undefined;
  readonly "world-model"?: WorldModel | undefined;
};

/** Inputs of an environment wrapper. */
export type ChangeOptions = {
  readonly spec: EnvironmentSpec;
  readonly task: TaskReference;
  /** Seed of the task: members of a group get the same draw. */
  readonly taskSeed: number;
  /** Seed of the rollout. */
  readonly seed: number;
  /** The models that simulate tools, for changes that need one. */
  readonly worldModels: WorldModels;
};

type Changes = {
  readonly [K in EnvironmentChange["kind"]]: (
    change: Extract<EnvironmentChange, { kind: K }>,
    options: ChangeOptions,
  ) => EnvironmentWrapper;
};

const CHANGES: Changes = {
  explained: () => explained,
  toolless: () => toolless,
  searched: () => searched,
  drawn: ({ ranges }, { taskSeed, seed }) =>
    limited(drawEnvironment(ranges, seededRandom(taskSeed, 0xd2a)), seed),
  simulated: ({ by, ...imagination }, { worldModels, task, seed }) => {
    const model = worldModels[by];
    if (model !== undefined) return imagined(model, imagination, seed);
    throw new WaggleError(
      "CAPABILITY_MISSING",
      `simulating ${task.environment} needs a model that answers (${by}); open one for the run or choose another recipe`,
    );
  },
  retry: ({ guidance }) => retrying(guidance),
  silent:
    ({ after }) =>
    (instance) =>
      silentAfter(instance, after),
  contract: ({ mostCalls }) => underContract(mostCalls, REFUSED),
  trials:
    ({ most, stopsAtSuccess }, { spec, task }) =>
    (instance) =>
      trials(
        instance,
        (rewards) => goesOn(rewards, most, stopsAtSuccess),
        () => spec.create(task),
      ),
};

/** Wraps the environment of a task in a change. */
export function changedEnvironment(
  change: EnvironmentChange,
  options: ChangeOptions,
): EnvironmentWrapper {
  const wrapper = CHANGES[change.kind] as (
    change: EnvironmentChange,
    options: ChangeOptions,
  ) => EnvironmentWrapper;
  return wrapper(change, options);
}
