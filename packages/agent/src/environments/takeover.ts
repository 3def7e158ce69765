/**
 * A policy whose turns a person can take over for a while. The actor of each turn is recorded. The
 * simulated person is the environment's demonstrator, which makes no mistakes and sees everything the
 * policy does.
 */
import { type EnvironmentSpec, type EnvironmentWrapper, overheard } from "@waggle/environments";
import type { JudgedTrajectory } from "@waggle/learning";
import { type Observation, type Policy, seededRandom, type TaskReference } from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";
import { handedOverPolicy } from "../scripted-policy.ts";

type Actors = NonNullable<JudgedTrajectory["actors"]>;

/** Hooks of one rollout that a person may take over. */
type Takeover = {
  /** Wraps the rollout's environment so that the person can watch. */
  readonly around: EnvironmentWrapper;
  /** Replaces the policy. */
  readonly policy: <P extends Policy>(policy: P) => P;
  /** `[turns]` actors so far. */
  readonly actors: Actors;
};

/** A person who takes over after `failures` failed turns in a row, for `turns` turns. */
export async function takeover(
  rule: { readonly failures: number; readonly turns: number },
  spec: EnvironmentSpec,
  task: TaskReference,
  format: ChatFormat,
  seed: number,
): Promise<Takeover> {
  const person = await spec.demonstrator(task, seededRandom(seed, 0x7a0), 0);
  const actors: Actors[number][] = [];
  let heard: Observation | null = null;
  let failures = 0;
  let left = 0;
  /** Tokens of the person's turn; `null` if the policy acts. */
  const speak = (): readonly number[] | null => {
    const { text, calls } = person(heard);
    if (left === 0 && failures >= rule.failures) {
      left = rule.turns;
      failures = 0;
    }
    if (left === 0) {
      actors.push("policy");
      return null;
    }
    left -= 1;
    actors.push("person");
    return format.encodeAssistant(text, calls);
  };
  return {
    actors,
    around: overheard((observation) => {
      heard = observation;
      failures = observation.toolResults.some(({ ok }) => !ok) ? failures + 1 : 0;
    }),
    policy: (policy) => handedOverPolicy(policy, speak),
  };
}
