/** Demonstrations as trajectories, made as a rollout strategy asks. */
import {
  type DemonstratedAction,
  type EnvironmentSpec,
  TASK_FORMS,
  told,
} from "@waggle/environments";
import {
  type DemonstrationOptions,
  type JudgedTrajectory,
  toJudgedTrajectory,
} from "@waggle/learning";
import { seededRandom, type TaskReference, type Trajectory } from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";
import { demonstratedRollout } from "./demonstrated-rollout.ts";
import { turnOwners } from "./divided-calls.ts";
import type { DriverParts } from "./driver-parts.ts";
import { inLanes } from "./lanes.ts";
import { rewardsOf } from "./turn-rewards.ts";

type DemonstrationParts = Pick<DriverParts, "spec" | "format" | "policy" | "roles">;

/** `[tasks]` plain demonstrations, with this share of random decisions. */
export function demonstrations(
  parts: DemonstrationParts,
  tasks: readonly TaskReference[],
  mistakes: number,
  seed: number,
): Promise<JudgedTrajectory[]> {
  return inLanes(tasks.length, (at) => {
    const random = seededRandom(seed, at, 0);
    return demonstration(parts, tasks[at] as TaskReference, { random, mistakes });
  });
}

/** Runs the demonstrator, or repeats recorded actions. */
export async function demonstration(
  { spec, format, policy, roles }: DemonstrationParts,
  task: TaskReference,
  options: DemonstrationOptions,
): Promise<JudgedTrajectory> {
  const { random, mistakes = 0, form = "task", mode = null, role = "policy" } = options;
  const { repeats, says = "" } = options;
  const formed = TASK_FORMS[form](spec);
  const acting =
    repeats === undefined ? formed : { ...formed, demonstrator: repeating(repeats, format) };
  const { trajectory, verification } = await demonstratedRollout(
    says === "" ? acting : saying(acting, says),
    task,
    format,
    {
      random,
      mistakes,
      contextLength: policy.contextLength,
      ...(mode === null ? {} : { around: told(mode) }),
    },
  );
  return toJudgedTrajectory(trajectory, verification, {
    mode,
    role,
    ...turnOwners(roles, trajectory),
    ...rewardsOf(trajectory, verification),
  });
}

/** Replays recorded actions, whatever it observes. */
function repeating(
  { turns, segments }: Trajectory,
  format: ChatFormat,
): EnvironmentSpec["demonstrator"] {
  return () => {
    const left = turns.map(({ segmentId, toolCalls }): DemonstratedAction => {
      const tokenIds = segments.find(({ id }) => id === segmentId)?.tokenIds ?? [];
      const { text } = format.parseAssistant(format.decodeAssistant(tokenIds));
      return {
        text,
        calls: toolCalls.map(({ name, arguments: args }) => ({ name, arguments: args })),
      };
    });
    return () => left.shift() ?? { text: "", calls: [] };
  };
}

/** Says a text before its first call. */
function saying(spec: EnvironmentSpec, words: string): EnvironmentSpec {
  return {
    ...spec,
    demonstrator: async (reference, random, mistakes) => {
      const act = await spec.demonstrator(reference, random, mistakes);
      let isSaid = false;
      return (observation) => {
        const action = act(observation);
        if (isSaid || action.calls.length === 0) return action;
        isSaid = true;
        return { ...action, text: `${words} ${action.text}`.trim() };
      };
    },
  };
}
