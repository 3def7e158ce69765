/**
 * Joins pieces of several rollouts at one task into one trajectory. Turns are repeated as recorded;
 * the first call of each later piece is preceded by a text, and the environment is reset to where
 * that piece begins. Nothing is sampled. The turns of the first piece are context, because they
 * belong to another rollout.
 */
import { scriptedRollout, turnTokens } from "@waggle/agent/environments";
import type { EnvironmentSpec, JudgedEnvironment } from "@waggle/environments";
import { type JudgedTrajectory, type Retelling, toJudgedTrajectory } from "@waggle/learning";
import type { TaskReference, Turn } from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";

/** A recorded turn, and whether the environment is reset before it. */
type Step = {
  readonly turn: Turn;
  readonly tokenIds: readonly number[];
  /** State to reset the environment to: after this many turns of a rollout; absent = no reset. */
  readonly stands?: { readonly in: JudgedTrajectory; readonly after: number };
};

/** `null` if a piece is missing, or there is only one rollout to tell. */
export async function retoldRollout(
  { pieces, transition }: Retelling,
  trajectories: readonly JudgedTrajectory[],
  spec: EnvironmentSpec,
  task: TaskReference,
  format: ChatFormat,
  contextLength: number,
): Promise<JudgedTrajectory | null> {
  const steps: Step[] = [];
  let given = 0;
  for (const { rollout, from, to } of pieces) {
    const told = trajectories.find(({ id }) => id === rollout);
    if (told === undefined) return null;
    if (given === 0) given = steps.length;
    const tokens = turnTokens(told.record).slice(from, to);
    for (const [i, turn] of told.record.turns.slice(from, to).entries()) {
      const tokenIds = tokens[i] ?? [];
      const isLeft = i === 0 && steps.length > 0;
      steps.push({ turn, tokenIds, ...(isLeft ? { stands: { in: told, after: from } } : {}) });
    }
  }
  const [root] = pieces;
  if (root === undefined || given === 0) return null;

  let instance = spec.create(task);
  let [said, done] = [0, 0];
  const act: JudgedEnvironment["environment"]["step"] = async (action, signal) => {
    const { stands } = steps[done] ?? {};
    done += 1;
    if (stands !== undefined)
      instance = await environmentAfter(spec, task, stands.in, stands.after, signal);
    return instance.environment.step(action, signal);
  };
  const retold: JudgedEnvironment = {
    environment: { task, observe: () => instance.environment.observe(), step: act },
    judge: (finalText) => instance.judge(finalText),
  };
  const { record, verification } = await scriptedRollout(retold, spec.task(task), format, {
    speak: () => {
      const { turn, tokenIds, stands } = steps[said] as Step;
      said += 1;
      // Text beside an answer would become part of the answer.
      return stands === undefined || turn.toolCalls.length === 0
        ? tokenIds
        : format.encodeAssistant(transition, turn.toolCalls);
    },
    contextLength,
    maxTurns: steps.length,
  });
  return toJudgedTrajectory(record, verification, {
    role: "retold",
    branch: { trajectory: root.rollout, turn: given },
  });
}

/** A new environment in which the calls of the first turns are replayed. */
async function environmentAfter(
  spec: EnvironmentSpec,
  task: TaskReference,
  { record: trajectory }: JudgedTrajectory,
  turns: number,
  signal: AbortSignal,
): Promise<JudgedEnvironment> {
  const instance = spec.create(task);
  await instance.environment.observe();
  for (const { toolCalls } of trajectory.turns.slice(0, turns)) {
    await instance.environment.step({ text: "", toolCalls }, signal);
  }
  return instance;
}
