/**
 * A judged rollout whose turns are all scripted: a demonstration, or recorded turns in another context. The
 * turn loop runs it like any other. Nothing is sampled, so its log-probs are 0 and meaningless; losses on
 * tokens do not read them.
 */
import type { JudgedEnvironment } from "@waggle/environments";
import type { Task, Trajectory } from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";
import { type Guide, guidedEnvironment } from "../guided-environment.ts";
import { rollOut } from "../roll-out.ts";
import { SCRIPTED_CLIENT, scriptedPolicy } from "../scripted-policy.ts";
import { TRAINING_CONSENT } from "../training-consent.ts";
import { type EnvironmentRollout, judged } from "./environment-rollout.ts";

type ScriptedRolloutOptions = {
  /** Returns the tokens of the next turn. */
  readonly speak: () => readonly number[];
  /** Maximum tokens of the rollout. */
  readonly contextLength: number;
  readonly maxTurns: number;
  /** Text that the script's reader gets besides the environment's. */
  readonly guide?: Guide | undefined;
};

/** Runs the script in the environment of a task and judges the result. */
export async function scriptedRollout(
  instance: JudgedEnvironment,
  task: Task,
  format: ChatFormat,
  { speak, contextLength, maxTurns, guide }: ScriptedRolloutOptions,
): Promise<EnvironmentRollout> {
  const record = await rollOut({
    policy: scriptedPolicy(speak, contextLength),
    environment: guidedEnvironment(instance.environment, guide ?? null),
    chatFormat: format,
    limits: { maxTurns, maxTokensPerTurn: contextLength, timeoutMs: 0 },
    consent: TRAINING_CONSENT,
    client: SCRIPTED_CLIENT,
    seed: 0,
  });
  return { record, verification: await judged(instance, task, record, format) };
}

/** `[turns]` tokens that were sampled or given at each turn of a trajectory. */
export function turnTokens({
  turns,
  segments,
}: Pick<Trajectory, "turns" | "segments">): readonly (readonly number[])[] {
  const tokens = new Map(segments.map(({ id, tokenIds }) => [id, tokenIds]));
  return turns.map(({ segmentId }) => tokens.get(segmentId) ?? []);
}
