/**
 * What a plan puts around an environment's environment: the policy meets the changed one, the environment's verifier
 * judges what was done in its own. The changes themselves are named by `packages/learning`.
 */
import {
  explained,
  type EnvironmentWrapper,
  limited,
  searched,
  toolless,
  trials,
  underContract,
} from "@waggle/environments";
import type { EnvironmentSpec } from "@waggle/environments";
import { REFUSED, drawEnvironment, goesOn } from "@waggle/learning";
import type { EnvironmentChange } from "@waggle/learning";
import { seededRandom, type TaskReference } from "@waggle/protocol";
import { imagined, type WorldModels } from "./imagined-environment.ts";

export type ChangeOptions = {
  readonly spec: EnvironmentSpec;
  readonly task: TaskReference;
  /** Of the task: members of a group meet the same draw. */
  readonly taskSeed: number;
  /** Of the rollout. */
  readonly seed: number;
  /** Who answers in a tool's place, where a change asks for somebody. */
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
  simulated: (change, { worldModels, task, seed }) => imagined(change, worldModels, task, seed),
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
