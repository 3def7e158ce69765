/** Renders a stored trajectory again with other text to read: the same turns under a new prompt. */
import { guidedEnvironment, rollOut, SCRIPTED_CLIENT, scriptedPolicy } from "@waggle/agent";
import type { EnvironmentSpec } from "@waggle/environments";
import { type JudgedTrajectory, taskOf, toJudgedTrajectory } from "@waggle/learning";
import type { ChatFormat } from "@waggle/text";
import type { RolloutReading } from "./rollout-reading.ts";
import { judged } from "./environment-rollout.ts";

/** The trajectory with a text inserted after what it originally read. */
export function prefaced(
  trajectory: JudgedTrajectory,
  text: string,
  spec: EnvironmentSpec,
  format: ChatFormat,
  contextLength: number,
): Promise<JudgedTrajectory> {
  const { read } = trajectory;
  const before = read?.text === undefined || read.text === "" ? text : `${read.text}\n\n${text}`;
  const guide = { start: () => before, turn: () => "" };
  return readAgain(trajectory, { guide, before: () => read }, spec, format, contextLength);
}

/** Renders a stored trajectory with what its stage gives to read now. */
export async function readAgain(
  { record: trajectory, role }: JudgedTrajectory,
  reading: RolloutReading,
  spec: EnvironmentSpec,
  format: ChatFormat,
  contextLength: number,
): Promise<JudgedTrajectory> {
  const task = taskOf({ record: trajectory });
  const instance = spec.create(task);
  let said = 0;
  const again = await rollOut({
    policy: scriptedPolicy(() => {
      const turn = trajectory.turns[said];
      said += 1;
      return trajectory.segments.find(({ id }) => id === turn?.segmentId)?.tokenIds ?? [];
    }, contextLength),
    environment: guidedEnvironment(instance.environment, reading.guide),
    chatFormat: format,
    limits: {
      maxTurns: Math.max(1, trajectory.turns.length),
      maxTokensPerTurn: contextLength,
      timeoutMs: 0,
    },
    consent: { version: "none", scopes: ["train"], grantedAt: "2026-01-01T00:00:00.000Z" },
    client: SCRIPTED_CLIENT,
    seed: 0,
  });
  const verification = await judged(instance, spec.task(task), again, format);
  return toJudgedTrajectory(again, verification, { role, read: reading.before() });
}
