/**
 * Runs a recorded rollout again with `rollOut`, a policy that repeats the recorded tokens, and a fresh
 * environment from the task's seed. Rendered tokens, calls and observations must match the record, and
 * the reward is that of the fresh environment. Error messages of failed calls must match too: otherwise
 * their text is a stranger's choice, and the rollout is rejected as `tool-wording`.
 */
import {
  type AdmitTurn,
  guidedEnvironment,
  replayedPolicy,
  rollOut,
  scriptedPolicy,
  versionGuide,
} from "@waggle/agent";
import { judged } from "@waggle/agent/environments";
import { environmentOf, type EnvironmentSpec, type JudgedEnvironment } from "@waggle/environments";
import {
  canonicalJson,
  type Guidance,
  type SampledSegment,
  type Task,
  toolDifference,
  type ToolDifference,
  type Trajectory,
  type Turn,
  type Verification,
  WaggleError,
} from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";
import { type ClaimedFailure, claimedFailure, withReplayedResults } from "./claimed-failure.ts";
import { grammarId } from "@waggle/text/grammar";

/** The verdict on a rollout, or why there is none. */
export type CheckResult =
  | {
      readonly holds: true;
      readonly verification: Verification;
      /** The part to learn from, if a claimed failure of a tool ended it. Absent = all. */
      readonly judged?: Trajectory;
    }
  | {
      readonly holds: false;
      readonly status: "rejected" | "skipped";
      readonly reason: string;
      readonly difference?: ToolDifference;
    };

/** @param guidance - the guidance of the version that sampled it. */
export type Replay = (trajectory: Trajectory, guidance?: Guidance | null) => Promise<CheckResult>;

export type ReplayOptions = {
  readonly format: ChatFormat;
  readonly contextLength: number;
  readonly vocabularySize: number;
  /** Environments of the user that tasks may name, besides the built-in ones. */
  readonly environments?: readonly EnvironmentSpec[] | undefined;
};

/**
 * Creates a replay for trajectories of assigned tasks. A mismatch is a result, never an exception.
 */
export function createReplay(options: ReplayOptions): Replay {
  const { format, contextLength, environments } = options;
  const reject = (reason: string): CheckResult => ({ holds: false, status: "rejected", reason });

  return async (trajectory, guidance = null) => {
    const { task: reference } = trajectory;
    if (reference === null) return { holds: false, status: "skipped", reason: "no-verifier" };
    if (!sampledOf(trajectory).every((segment) => endsAsRecorded(segment, format.stopTokenIds))) {
      return reject("stop-mismatch");
    }
    let instance: JudgedEnvironment;
    let task: Task;
    let failure: ClaimedFailure | null;
    try {
      const spec = environmentOf(reference, environments);
      [instance, task] = [spec.create(reference), spec.task(reference)];
      failure = await claimedFailure(trajectory, () => spec.create(reference).environment);
    } catch (error) {
      if (!WaggleError.is(error, "INVALID_ARGUMENT")) throw error;
      return reject("unknown-environment");
    }
    if (failure?.isExcused === true) {
      return { holds: false, status: "skipped", reason: "reward-unavailable" };
    }
    const part = failure?.judged ?? null;
    const sampled = sampledOf(part ?? trajectory);
    let hasOtherGrammar = false;
    // The context's tokens are compared afterwards, with everything else.
    const admit: AdmitTurn = async ({ segment }, _, { grammar: asked }) => {
      if (segment.grammar === null) return;
      if (asked === undefined) hasOtherGrammar = true;
      else if ((await grammarId(asked)) !== segment.grammar) {
        // A policy refuses unknown grammars like this; the driver then asks for less.
        throw new WaggleError(
          "GRAMMAR_UNSUPPORTED",
          `the recorded grammar is ${segment.grammar}, but another was requested; request no grammar`,
        );
      }
    };
    const recorded = replayedPolicy(
      scriptedPolicy(() => null, contextLength),
      sampled.map((segment) => ({ before: [], segment })),
      admit,
    );
    const again = await rollOut({
      policy: recorded,
      environment: guidedEnvironment(
        instance.environment,
        guidance === null ? null : versionGuide(guidance, trajectory.assignmentId ?? ""),
      ),
      chatFormat: format,
      constrainToolCalls: true,
      // The recorded stop reasons count, not limits of this run.
      limits: { maxTurns: 10_000, maxTokensPerTurn: 1, timeoutMs: 0, maxParseErrors: 10_000 },
      consent: trajectory.consent,
      client: trajectory.client,
      seed: 0,
    });
    // A visitor's grammar could make any token look certain, so only grammars that the driver asks for count.
    if (hasOtherGrammar) return reject("grammar-mismatch");
    const replayed = part === null ? null : withReplayedResults(part, again);
    const mismatch = mismatchOf(replayed ?? trajectory, again);
    if (mismatch !== null) return { holds: false, status: "rejected", ...mismatch };
    const verification = await judged(instance, task, again, format);
    if (replayed === null) return { holds: true, verification };
    // A claim must not be worth more than what it hides.
    const reward = Math.min(0, verification.reward);
    return { holds: true, verification: { reward, success: false, parts: {} }, judged: replayed };
  };
}

function sampledOf({ segments }: Trajectory): SampledSegment[] {
  return segments.filter((segment) => segment.kind === "sampled");
}

/** A stop token ends a span and does not occur elsewhere in it. */
function endsAsRecorded(segment: SampledSegment, stopTokenIds: readonly number[]): boolean {
  const first = segment.tokenIds.findIndex((id) => stopTokenIds.includes(id));
  const wanted = segment.stopReason === "stop-token" ? segment.tokenIds.length - 1 : -1;
  return first === wanted;
}

type Mismatch = { readonly reason: string; readonly difference?: ToolDifference };

/** The first difference between the two; anything after the end of the record is ignored. */
function mismatchOf(recorded: Trajectory, again: Trajectory): Mismatch | null {
  for (const [i, turn] of recorded.turns.entries()) {
    const other = again.turns[i];
    if (other === undefined || other.parseError !== turn.parseError) {
      return { reason: "call-mismatch" };
    }
    if (!isSame(other.toolCalls, turn.toolCalls)) return { reason: "call-mismatch" };
    if (isSame(other.toolResults, turn.toolResults)) continue;
    const isWording = isSame(withoutWording(other), withoutWording(turn));
    return {
      reason: isWording ? "tool-wording" : `replay-mismatch at turn ${i + 1}`,
      difference: differenceOf(i + 1, turn, other),
    };
  }
  if (again.turns.length > recorded.turns.length) return { reason: "call-mismatch" };
  for (const [i, segment] of recorded.segments.entries()) {
    const other = again.segments[i];
    const isSegment =
      other?.kind === segment.kind && other.parent === segment.parent && other.id === segment.id;
    if (!isSegment || !isSame(other.tokenIds, segment.tokenIds)) {
      return { reason: "replay-mismatch" };
    }
  }
  // Only a rollout that its task ended may claim to be completed.
  const isCompleted = again.stopReason === "completed";
  if (isCompleted === (recorded.stopReason === "completed")) return null;
  return { reason: "stop-mismatch" };
}

/** The first call of a turn whose results differ. */
function differenceOf(turn: number, recorded: Turn, again: Turn): ToolDifference {
  const results = recorded.toolResults;
  const at = results.findIndex((result, i) => !isSame(result, again.toolResults[i]));
  // Without a different result, one of the two has more.
  const i = at < 0 ? results.length : at;
  return toolDifference(turn, recorded.toolCalls[i], results[i], again.toolResults[i]);
}

/** Tool results with failures reduced to their codes. */
function withoutWording({ toolResults }: Turn): unknown[] {
  return toolResults.map((result) =>
    result.ok ? result : { callId: result.callId, code: result.error.code },
  );
}

function isSame(a: unknown, b: unknown): boolean {
  return canonicalJson(a) === canonicalJson(b);
}
