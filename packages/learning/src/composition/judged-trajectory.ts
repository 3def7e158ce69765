/**
 * A judged rollout as recipes see it, and the group it belongs to: beside the record, which is the
 * trajectory, its training samples and what each turn did.
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

/** One generation of the policy and what answered it. */
export type JudgedTurn = {
  /** Index into the trajectory's samples. */
  readonly sample: number;
  /** Whose turn it is, where several roles share the conversation; absent = the trajectory's. */
  readonly role?: string | undefined;
  /** Who goes on in it from this token of the sample, where a call is divided; `null` = nobody. */
  readonly fills?: { readonly role: string; readonly start: number } | null;
  /** Its sampled tokens are `[start, end)` of that sample. */
  readonly start: number;
  readonly end: number;
  /** Equal for turns that began with the same tokens before them. */
  readonly state: string;
  readonly toolCalls: readonly ToolCall[];
  readonly toolResults: readonly ToolResult[];
  readonly parseError: string | null;
  /** What the environment paid for this turn alone; `null` where it pays at the end only. */
  readonly reward: number | null;
};

export type JudgedTrajectory = {
  /** That of the trajectory. */
  readonly id: string;
  readonly record: Trajectory;
  /** Whose tokens these are, where several policies act: `solver`, `proposer`. Else `policy`. */
  readonly role: string;
  /** The joint rollout that it is one role's part of; `null` where it is alone. */
  readonly joint: string | null;
  /** The past checkpoint that had a place in its joint rollout; absent = none. */
  readonly opponent?: string;
  /** The sentence of the system message that its rollout was given, where a plan gives some. */
  readonly mode: string | null;
  readonly samples: readonly TrainingSample[];
  readonly turns: readonly JudgedTurn[];
  readonly verification: Verification;
  /** `[turns]` who acted; absent = the policy alone. */
  readonly actors?: readonly ("policy" | "person")[];
  /** What it was given to read before its first turn; `null` for nothing. */
  readonly read: ReadBefore | null;
  /** Published versions between what sampled it and the newest. */
  readonly staleness: number;
  /**
   * Where it shares its beginning with another trajectory of its group: turns before `turn` are that
   * trajectory's own, trained there, and given here.
   */
  readonly branch: {
    readonly trajectory: string;
    readonly turn: number;
    /** What was done there before, where an action is compared with it. */
    readonly original?: Turn;
  } | null;
};

/** Trajectories that began alike: one task, one start. A trajectory counts once in a baseline. */
export type JudgedGroup = {
  /** Name of the task. */
  readonly task: string;
  readonly trajectories: readonly JudgedTrajectory[];
};

export type JudgedTrajectoryOptions = {
  /** Default `policy`. */
  readonly role?: string;
  /** `[turns]` where roles share the conversation. */
  readonly turnRoles?: readonly string[] | undefined;
  /** `[turns]` who goes on after so many of its tokens, where calls are divided. */
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
 * @throws WaggleError `SHAPE_MISMATCH` where `turnRewards` has another length than the turns.
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
      `turnRewards must have one entry a turn (${trajectory.turns.length}), got ${turnRewards.length}; pay each turn, 0 where nothing was earned`,
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

/** Samples that train nothing of the first `turns` turns. */
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

/** Stops that came from outside. */
const CUT_OFF: ReadonlySet<StopReason> = new Set(["aborted", "timeout", "tool-error"]);

/**
 * Whether it would have gone on: only then is what it was still worth a critic's word. Limits of turns and
 * tokens and answers that could not be read are the policy's own ends, which the verifier has judged; a
 * critic's word on top would pay for never answering, and would feed on itself.
 */
export function wasCutOff({ record: trajectory }: JudgedTrajectory): boolean {
  return CUT_OFF.has(trajectory.stopReason);
}

/** Tokens that the policy sampled in it. */
export function sampledTokens({ samples }: JudgedTrajectory): number {
  return samples.reduce((sum, { lossMask }) => sum + lossMask.filter(Boolean).length, 0);
}

/** Tool calls made in it. */
export function toolCalls({ turns }: JudgedTrajectory): number {
  return turns.reduce((sum, turn) => sum + turn.toolCalls.length, 0);
}

/** Tool calls that failed and turns that could not be read: each is answered by a failed result. */
export function toolErrors({ turns }: JudgedTrajectory): number {
  return turns.reduce((sum, turn) => sum + turn.toolResults.filter(({ ok }) => !ok).length, 0);
}

/** What the verifier gave; 1 and more belongs to success alone. */
export function verifiedWorth({ verification: { success, reward } }: JudgedTrajectory): number {
  return success ? Math.max(1, reward) : Math.min(reward, 1 - Number.EPSILON);
}
