/**
 * Runs a recorded rollout again: the one driver `rollOut`, a policy that says exactly the recorded
 * tokens, and a fresh environment from the task's seed. What was rendered, called and observed must
 * come out as recorded; the reward is that of the fresh environment. That goes for the wording of failed
 * calls, too: another one is text that a stranger chose, and the rollout is left out as `tool-wording`.
 */
import {
  type AdmitTurn,
  guidedEnvironment,
  replayedPolicy,
  rollOut,
  scriptedPolicy,
  versionGuide,
} from "@waggle/agent";
import { environmentOf, type JudgedEnvironment } from "@waggle/environments";
import {
  canonicalJson,
  type Guidance,
  type SampledSegment,
  type Task,
  type Trajectory,
  type Verification,
  WaggleError,
} from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";
import { grammarId } from "@waggle/text/grammar";
import { judged } from "../rollouts/environment-rollout.ts";

type ReplayResult =
  | { readonly holds: true; readonly verification: Verification }
  | {
      readonly holds: false;
      readonly status: "rejected" | "skipped";
      readonly reason: string;
    };

/** @param guidance - what the version that sampled it says. */
export type Replay = (trajectory: Trajectory, guidance?: Guidance | null) => Promise<ReplayResult>;

export type ReplayOptions = {
  readonly format: ChatFormat;
  readonly contextLength: number;
  readonly vocabularySize: number;
};

/** Failures of the environment, not of the policy: what came after cannot be judged. */
const UNJUDGEABLE: ReadonlySet<string> = new Set(["TOOL_UNAVAILABLE", "TIMEOUT", "NETWORK"]);

/** A replay of trajectories of assigned tasks. A mismatch is a result, never an exception. */
export function createReplay(options: ReplayOptions): Replay {
  const { format, contextLength } = options;
  const reject = (reason: string): ReplayResult => ({ holds: false, status: "rejected", reason });

  return async (trajectory, guidance = null) => {
    const { task: reference } = trajectory;
    if (reference === null) return { holds: false, status: "skipped", reason: "no-verifier" };
    if (trajectory.stopReason === "tool-error" || trajectory.turns.some(hasBrokenTool)) {
      return { holds: false, status: "skipped", reason: "reward-unavailable" };
    }
    const sampled = trajectory.segments.filter((segment) => segment.kind === "sampled");
    if (!sampled.every((segment) => endsAsRecorded(segment, format.stopTokenIds))) {
      return reject("stop-mismatch");
    }
    let instance: JudgedEnvironment;
    let task: Task;
    try {
      const spec = environmentOf(reference);
      [instance, task] = [spec.create(reference), spec.task(reference)];
    } catch (error) {
      if (!WaggleError.is(error, "INVALID_ARGUMENT")) throw error;
      return reject("unknown-environment");
    }
    let hasOtherGrammar = false;
    // What a context holds is compared afterwards, with everything else.
    const admit: AdmitTurn = async ({ segment }, _, { grammar: asked }) => {
      if (segment.grammar === null) return;
      if (asked === undefined) hasOtherGrammar = true;
      else if ((await grammarId(asked)) !== segment.grammar) {
        // As a policy refuses a grammar that it lacks; the driver then asks for less.
        throw new WaggleError(
          "GRAMMAR_UNSUPPORTED",
          `a replay holds the grammar ${segment.grammar}, got another; ask for less`,
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
    // A visitor's grammar could make any token look certain: only one that the driver asks for counts.
    if (hasOtherGrammar) return reject("grammar-mismatch");
    const mismatch = difference(trajectory, again);
    if (mismatch !== null) return reject(mismatch);
    return { holds: true, verification: await judged(instance, task, again, format) };
  };
}

function hasBrokenTool({ toolResults }: Trajectory["turns"][number]): boolean {
  return toolResults.some((result) => !result.ok && UNJUDGEABLE.has(result.error.code));
}

/** A stop token ends a span and stands nowhere else in it. */
function endsAsRecorded(segment: SampledSegment, stopTokenIds: readonly number[]): boolean {
  const first = segment.tokenIds.findIndex((id) => stopTokenIds.includes(id));
  const wanted = segment.stopReason === "stop-token" ? segment.tokenIds.length - 1 : -1;
  return first === wanted;
}

/** The first way in which the two differ; what comes after the record's end does not count. */
function difference(recorded: Trajectory, again: Trajectory): string | null {
  for (const [i, turn] of recorded.turns.entries()) {
    const other = again.turns[i];
    if (other === undefined || other.parseError !== turn.parseError) return "call-mismatch";
    if (!isSame(other.toolCalls, turn.toolCalls)) return "call-mismatch";
    if (!isSame(other.toolResults, turn.toolResults)) {
      return isSame(withoutWording(other), withoutWording(turn))
        ? "tool-wording"
        : "replay-mismatch";
    }
  }
  if (again.turns.length > recorded.turns.length) return "call-mismatch";
  for (const [i, segment] of recorded.segments.entries()) {
    const other = again.segments[i];
    const isSegment =
      other?.kind === segment.kind && other.parent === segment.parent && other.id === segment.id;
    if (!isSegment || !isSame(other.tokenIds, segment.tokenIds)) return "replay-mismatch";
  }
  // Only a rollout that its task ended may be said to have ended so.
  const isCompleted = again.stopReason === "completed";
  return isCompleted === (recorded.stopReason === "completed") ? null : "stop-mismatch";
}

/** Tool results with failures known by their code alone. */
function withoutWording({ toolResults }: Trajectory["turns"][number]): unknown[] {
  return toolResults.map((result) =>
    result.ok ? result : { callId: result.callId, code: result.error.code },
  );
}

function isSame(a: unknown, b: unknown): boolean {
  return canonicalJson(a) === canonicalJson(b);
}
