/** Renders a stored trajectory again with other text to read: the same turns under a new prompt. */
import { scriptedRollout, turnTokens } from "@waggle/agent/environments";
import type { EnvironmentSpec } from "@waggle/environments";
import { type JudgedTrajectory, taskOf, toJudgedTrajectory } from "@waggle/learning";
import type { ChatFormat } from "@waggle/text";
import type { RolloutReading } from "./rollout-reading.ts";

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
  { record: stored, role }: JudgedTrajectory,
  reading: RolloutReading,
  spec: EnvironmentSpec,
  format: ChatFormat,
  contextLength: number,
): Promise<JudgedTrajectory> {
  const task = taskOf({ record: stored });
  const left = [...turnTokens(stored)];
  const { record, verification } = await scriptedRollout(
    spec.create(task),
    spec.task(task),
    format,
    {
      speak: () => left.shift() ?? [],
      contextLength,
      maxTurns: Math.max(1, stored.turns.length),
      guide: reading.guide,
    },
  );
  return toJudgedTrajectory(record, verification, { role, read: reading.before() });
}
