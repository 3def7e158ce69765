/**
 * A judged trajectory as recipes see it, and its group: the recorded trajectory, its training samples and
 * a summary of each turn.
 */
import type {
  StopReason,
  ToolCall,
  ToolResult,
  TrainingSample,
  Trajectory,
  Turn,
  Verification,
} from "@waggle/protocol";
import { toTrainingSamples, WaggleError } from "@waggle/protocol";
import type { ReadBefore } from "./reading.ts";

/** One generation of the policy and the observations that answered it. */
export type JudgedTurn = {
  /** Index into the trajectory's samples. */
  readonly sample: number;
  /** The role that took the turn, if several roles share the conversation; absent = the trajectory's role. */
  readonly role?: string | undefined;
  /** If a call is divided between two roles: the second role and the token at which it starts; else `null`. */
  readonly fills?: { readonly role: string; readonly start: number } | null;
  /** The sampled tokens are `[start, end)` of that sample. */
  readonly start: number;
  readonly end: number;
  /** Equal for turns with the same preceding tokens. */
  readonly state: string;
  readonly toolCalls: readonly ToolCall[];
  readonly toolResults: readonly ToolResult[];
  readonly parseError: string | null;
  /** The environment's reward for this turn; `null` if it gives rewards only at the end. */
  readonly reward: number | null;
  /** Reward by the feedback about this turn; `null` if none is. Absent: feedback, if any, is about the whole trajectory. */
  readonly credit?: number | null;
};

/** A recorded trajectory with its verdict and the `[samples][T]` training arrays. */
export type JudgedTrajectory = {
  /** Id of the trajectory. */
  readonly id: string;
  readonly record: Trajectory;
  /** The role that sampled the tokens, such as `solver` or `proposer`; `policy` if only one acts. */
  readonly role: string;
  /** Id of the joint rollout that it belongs to; `null` if it has none. */
  readonly joint: string | null;
  /** The past checkpoint that took part in the joint rollout; absent = none. */
  readonly opponent?: string;
  /** The sentence that the rollout strategy added to the system message; absent = none. */
  readonly mode: string | null;
  readonly samples: readonly TrainingSample[];
  readonly turns: readonly JudgedTurn[];
  readonly verification: Verification;
  /** `[turns]` the actor of each turn; absent = always the policy. */
  readonly actors?: readonly ("policy" | "person")[];
  /** Guidance that it got before its first turn; `null` for none. */
  readonly read: ReadBefore | null;
  /** Weight in (0, 1] that its sender's reputation gives it in the statistics of its group; absent = 1. */
  readonly reputation?: number;
  /** Staleness: published versions between the sampling policy and the newest. */
  readonly staleness: number;
  /**
   * Set if it branched off another trajectory of its group: the turns before `turn` belong to that
   * trajectory and are trained there, and are only context here.
   */
  readonly branch: {
    readonly trajectory: string;
    readonly turn: number;
    /** The original action at that point, if it is compared with this one. */
    readonly original?: Turn;
  } | null;
};

/** Trajectories of one task with the same start. Each counts once in a baseline. */
export type JudgedGroup = {
  /** Name of the task. */
  readonly task: string;
  readonly trajectories: readonly JudgedTrajectory[];
};

/** Facts about a rollout that its record does not contain. */
export type JudgedTrajectoryOptions = {
  /** Default `policy`. */
  readonly role?: string;
  /** `[turns]` the role of each turn, if roles share the conversation. */
  readonly turnRoles?: readonly string[] | undefined;
  /** `[turns]` the second role and where it starts, if calls are divided. */
  readonly turnFills?: readonly ({ readonly role: string; readonly after: number } | null)[];
  /** Default `null`. */
  readonly joint?: string | null;
  /** Default none. */
  readonly opponent?: string | undefined;
  /** Default `null`. */
  readonly mode?: string | null;
  /** Default `null`. */
  readonly read?: ReadBefore | null;
  /** Default 0. */
  readonly staleness?: number;
  /** Default `null`. */
  readonly branch?: JudgedTrajectory["branch"];
  /** `[turns]`; default: no turn has a reward of its own. */
  readonly turnRewards?: readonly number[];
};

/**
 * A recorded trajectory joined with its verification. Turns whose tokens no sample trains are left out.
 *
 * @throws WaggleError `SHAPE_MISMATCH` if `turnRewards` and the turns differ in length.
 */
export function toJudgedTrajectory(
  trajectory: Trajectory,
  verification: Verification,
  options: JudgedTrajectoryOptions = {},
): JudgedTrajectory {
  const { role = "policy", mode = null, read = null, staleness = 0, branch = null } = options;
  const { turnRewards } = options;
  if (turnRewards !== undefined && turnRewards.length !== trajectory.turns.length) {
    throw new WaggleError(
      "SHAPE_MISMATCH",
      `turnRewards has ${turnRewards.length} entries for ${trajectory.turns.length} turns; give one reward per turn, 0 for none`,
    );
  }
  const samples = withoutShared(toTrainingSamples(trajectory), trajectory, branch?.turn ?? 0);
  const places = new Map<string, { sample: number; start: number }>();
  for (const [sample, { spans }] of samples.entries()) {
    for (const { segment, start } of spans) places.set(segment.id, { sample, start });
  }
  const turns = trajectory.turns.flatMap((turn, i): JudgedTurn[] => {
    const place = places.get(turn.segmentId);
    const segment = trajectory.segments.find(({ id }) => id === turn.segmentId);
    if (place === undefined || segment === undefined) return [];
    const { tokenIds } = (samples[place.sample] as TrainingSample).sequence;
    const fills = options.turnFills?.[i] ?? null;
    return [
      {
        ...place,
        role: options.turnRoles?.[i],
        fills: fills === null ? null : { role: fills.role, start: place.start + fills.after },
        end: place.start + segment.tokenIds.length,
        state: tokenIds.slice(0, place.start).join(" "),
        toolCalls: turn.toolCalls,
        toolResults: turn.toolResults,
        parseError: turn.parseError,
        reward: turnRewards?.[i] ?? null,
        ...(verification.turns === undefined ? {} : { credit: verification.turns[i] ?? null }),
      },
    ];
  });
  return {
    id: trajectory.id,
    record: trajectory,
    role,
    joint: options.joint ?? null,
    ...(options.opponent === undefined ? {} : { opponent: options.opponent }),
    mode,
    samples,
    turns,
    verification,
    read,
    staleness,
    branch,
  };
}

/** The samples with the first `turns` turns masked out. */
function withoutShared(
  samples: readonly TrainingSample[],
  trajectory: Trajectory,
  turns: number,
): TrainingSample[] {
  const shared = new Set(trajectory.turns.slice(0, turns).map(({ segmentId }) => segmentId));
  return samples.map((sample) => {
    const lossMask = [...sample.lossMask];
    for (const { segment, start } of sample.spans) {
      if (shared.has(segment.id)) lossMask.fill(false, start, start + segment.tokenIds.length);
    }
    return { ...sample, lossMask };
  });
}

/** Stop reasons with an outside cause. */
const CUT_OFF: ReadonlySet<StopReason> = new Set(["aborted", "timeout", "tool-error"]);

/**
 * Whether an outside cause truncated it. Only then may a critic's value stand for the rest. Turn limits,
 * token limits and unreadable answers are the policy's own endings, and the verifier has judged them: a
 * bootstrapped value would reward never answering.
 */
export function wasCutOff({ record: trajectory }: JudgedTrajectory): boolean {
  return CUT_OFF.has(trajectory.stopReason);
}

/** Number of tokens that the policy sampled. */
export function sampledTokens({ samples }: JudgedTrajectory): number {
  return samples.reduce((sum, { lossMask }) => sum + lossMask.filter(Boolean).length, 0);
}

/** Number of tool calls. */
export function toolCalls({ turns }: JudgedTrajectory): number {
  return turns.reduce((sum, turn) => sum + turn.toolCalls.length, 0);
}

/** Number of failed tool calls and unreadable turns. */
export function toolErrors({ turns }: JudgedTrajectory): number {
  return turns.reduce((sum, turn) => sum + turn.toolResults.filter(({ ok }) => !ok).length, 0);
}

/** The verifier's reward; below 1 unless the task was solved. */
export function verifiedWorth({ verification: { success, reward } }: JudgedTrajectory): number {
  return success ? Math.max(1, reward) : Math.min(reward, 1 - Number.EPSILON);
}
