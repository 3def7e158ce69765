/**
 * Progress reports: lines for people, or one JSON object per line for programs. The caller supplies the
 * output.
 */
import type {
  EvaluationResult,
  MetricsRow,
  PolicyVersionId,
  TrajectoryOutcome,
} from "@waggle/protocol";
import { WaggleError } from "@waggle/protocol";

/** The trajectories of a lease after the checks, and the groups of them to train on. */
type CheckedLease = {
  readonly groups: readonly unknown[];
  readonly outcomes: readonly Pick<TrajectoryOutcome, "status" | "reason">[];
};

/**
 * The gate's decision on a candidate. `undecided`: the frozen tasks do not tell the two versions apart.
 */
export type PromotionDecision = {
  readonly verdict: "promote" | "roll-back" | "undecided";
  /** Empty for a promotion. */
  readonly reason: string;
};

/** Receives the events of a training loop. */
export interface Reporter {
  judged(judged: CheckedLease): void;
  step(row: MetricsRow): void;
  evaluated(result: EvaluationResult, decision: PromotionDecision): void;
  published(version: PolicyVersionId, isPromoted: boolean): void;
  /**
   * Publishing stopped. `version` was rolled back; `null` if only the training returned to the stable
   * version.
   */
  alarm(version: PolicyVersionId | null, reason: string): void;
  /** An event worth reporting that is not a failure. */
  note(event: string, details?: { readonly [name: string]: unknown }): void;
  /** A failure after which the trainer continues. */
  failure(error: unknown): void;
}

/** Leases with nothing to learn from and nothing rejected are counted together, in one line per interval. */
const QUIET_INTERVAL_MS = 30_000;

/**
 * As text, leases that teach nothing are summed up; as JSON, each lease is a line.
 *
 * @param write - receives complete lines without a line end.
 * @param asJson - one JSON object per line, with `event` first.
 * @param site - named in each line, if one process trains several sites
 * @param now - milliseconds of a clock
 */
export function createReporter(
  write: (line: string) => void,
  asJson: boolean,
  site?: string,
  now: () => number = Date.now,
): Reporter {
  const named = site === undefined ? {} : { site };
  const prefix = site === undefined ? "" : `${site}: `;
  let quiet: CheckedLease["outcomes"] = [];
  let quietAt = Number.NEGATIVE_INFINITY;
  const tellQuiet = (): void => {
    if (quiet.length === 0) return;
    const noun = quiet.length === 1 ? "trajectory" : "trajectories";
    write(`${prefix}  ${quiet.length} ${noun} taught nothing${inBrackets(counted(quiet))}`);
    quiet = [];
    quietAt = now();
  };
  const emit = (
    event: string,
    details: { readonly [name: string]: unknown },
    text: string,
  ): void => {
    tellQuiet();
    write(asJson ? JSON.stringify({ event, ...named, ...details }) : `${prefix}${text}`);
  };
  return {
    judged({ groups, outcomes }) {
      const of = (wanted: string) => outcomes.filter(({ status }) => status === wanted);
      const [learnable, skipped, rejected] = [of("learned"), of("skipped"), of("rejected")];
      if (!asJson && skipped.length === outcomes.length) {
        quiet = [...quiet, ...outcomes];
        if (now() - quietAt >= QUIET_INTERVAL_MS) tellQuiet();
        return;
      }
      const details = {
        trajectories: outcomes.length,
        learnable: learnable.length,
        skipped: skipped.length,
        rejected: rejected.length,
        reasons: { skipped: counted(skipped), rejected: counted(rejected) },
        groups: groups.length,
      };
      emit(
        "judged",
        details,
        `  ${details.trajectories} trajectories: ${details.learnable} to learn from in ${groups.length} ${groups.length === 1 ? "group" : "groups"}, ${details.skipped} skipped${inBrackets(details.reasons.skipped)}, ${details.rejected} rejected${inBrackets(details.reasons.rejected)}`,
      );
    },
    step(row) {
      const show = (name: string, digits: number): string =>
        (row.metrics[name] ?? Number.NaN).toFixed(digits);
      emit(
        "step",
        row,
        `step ${row.step}: success ${show("successRate", 3)} of ${show("trajectories", 0)}, loss ${show("loss", 4)}, gradient ${show("gradientNorm", 3)}, entropy ${show("entropy", 3)}, gap ${show("logProbGapMean", 6)}, staleness ${show("stalenessMean", 2)}, ${show("seconds", 1)} s`,
      );
    },
    evaluated(result, { verdict, reason }) {
      const words = { promote: "promote", "roll-back": "roll back", undecided: "no decision" };
      emit(
        "evaluated",
        { ...result, promotes: verdict === "promote", verdict, reason },
        `evaluation of the candidate: ${resultText(result)}${comparisonText(result)}${retentionText(result)}${probesText(result)}: ${words[verdict]}${reason === "" ? "" : ` (${reason})`}`,
      );
    },
    published(version, isPromoted) {
      emit(
        "published",
        { version, isPromoted },
        `version ${version} ${isPromoted ? "is stable" : "was rolled back"}`,
      );
    },
    alarm(version, reason) {
      const done =
        version === null
          ? "training went back to the stable version"
          : `version ${version} was rolled back`;
      emit("alarm", { version, reason }, `ALARM: ${reason}; ${done} and publishing is frozen`);
    },
    note(event, details = {}) {
      emit(event, details, `${event}: ${Object.entries(details).map(inWords).join(", ")}`);
    },
    failure(error) {
      const code = WaggleError.is(error) ? error.code : "INTERNAL";
      const message = error instanceof Error ? error.message : String(error);
      emit("failure", { code, message }, `! ${code}: ${message}`);
    },
  };
}

/** Successes of both versions. */
function resultText({ tasks, successes, comparedWith, stableSuccesses }: EvaluationResult): string {
  if (tasks === 0) return "no tasks";
  return `${successes} of ${tasks}, stable version ${comparedWith ?? "unknown"} ${stableSuccesses ?? "unknown"}`;
}

/** What a judge said of both versions' answers; empty if none was asked. */
function comparisonText({ comparison }: EvaluationResult): string {
  if (comparison === undefined) return "";
  const { requests, judged, better, worse } = comparison;
  return `; answers to ${requests} requests, ${judged} of them judged: ${better} better, ${worse} worse`;
}

/** What an evaluation says about retention tasks, to follow its other figures; empty if there are none. */
export function retentionText({ retention }: Pick<EvaluationResult, "retention">): string {
  if (retention === undefined) return "";
  const { judged, tasks, successes, baseSuccesses, readable, baseReadable } = retention;
  return `; retention ${successes} of ${judged} (base ${baseSuccesses}), readable answers ${readable} of ${tasks} (base ${baseReadable})`;
}

/** Rises of the faults that the probes compared, in percent of the requests; empty if no probes ran. */
export function probesText({ probes }: Pick<EvaluationResult, "probes">): string {
  if (probes === undefined) return "";
  const rises = probes
    .filter(({ risen, fallen }) => risen !== fallen)
    .map(({ probe, kind = "", tasks, risen, fallen }) => {
      const rise = Math.round((100 * (risen - fallen)) / tasks);
      return `${probe}${kind === "" ? "" : ` of ${kind}`} ${rise > 0 ? "+" : ""}${rise} %`;
    });
  return `; probes ${rises.length === 0 ? "unchanged" : rises.join(", ")}`;
}

/**
 * `stoppedBy` and its value as text; a hash is shortened to its first 8 digits, as on the dashboard.
 */
function inWords([name, value]: readonly [string, unknown]): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  if (typeof value !== "string") return `${words} ${JSON.stringify(value)}`;
  return `${words} ${/^[0-9a-f]{64}$/.test(value) ? value.slice(0, 8) : value}`;
}

/** How often each reason occurs, the most frequent first. */
function counted(outcomes: CheckedLease["outcomes"]): { readonly [reason: string]: number } {
  const counts = new Map<string, number>();
  for (const { reason = "no reason given" } of outcomes) {
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return Object.fromEntries([...counts].toSorted(([, a], [, b]) => b - a));
}

/** Reasons in words; every other reason is shown as its code. */
const WORDS: { readonly [reason: string]: string } = {
  "no-signal": "in groups that all succeeded or all failed",
};

function inBrackets(counts: { readonly [reason: string]: number }): string {
  const words = Object.entries(counts).map(
    ([reason, count]) => `${count} ${WORDS[reason] ?? reason}`,
  );
  return words.length === 0 ? "" : ` (${words.join(", ")})`;
}
