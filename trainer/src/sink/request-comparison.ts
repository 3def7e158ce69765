/**
 * Answers of a candidate and of the stable version to the same held-out requests of visitors, as counts. Texts are in memory
 * only. Each version reads the recorded prompt, and the record answers its calls. If one of them leaves the record, only the
 * first answer of each is compared: what would follow is unknown.
 */
import { finalTextOf } from "@waggle/agent";
import type { Adapter } from "@waggle/model";
import {
  derivedSeed,
  type EvaluationResult,
  hashText,
  type PolicyVersionId,
  type Trajectory,
} from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";
import {
  type TrialOptions,
  trialAt,
  promptOf,
  type RecordedTrial,
} from "../check/recorded-trial.ts";
import type { EdgeClient } from "../edge/edge-client.ts";
import type { AnswerJudge, AnswerVerdict } from "../judge/answer-judge.ts";
import { REQUEST_TRIALS } from "../judge/prompts/request-trials.ts";
import { recordText } from "../judge/record-text.ts";
import type { Reporter } from "../metrics/reporter.ts";
import { transcriptOf } from "../rollouts/trajectory-text.ts";
import { type HeldOutRequest, heldOutRequests } from "./held-out-requests.ts";
import { count } from "./promotion-rule.ts";

/** A version and its parameters. */
type AnsweringVersion = {
  readonly version: PolicyVersionId;
  readonly adapter: Adapter | null;
};

/** What is known of a candidate at the held-out requests. */
export type ComparedAnswers = {
  /** Digests of the requests. */
  readonly heldOut: readonly string[];
  /** `[requests]` whether the answer can be read. */
  readonly readable: readonly boolean[];
  readonly stableReadable: readonly boolean[];
  /** Absent: no judge compares answers. */
  readonly comparison?: NonNullable<EvaluationResult["comparison"]>;
  /** Requests at which the judge's preference turned with the order of the answers. */
  readonly turned: number;
};

/**
 * @param heldOut - digests of the earlier set.
 * @param leastVerdicts - with fewer requests the judge is not asked.
 */
export type RequestComparison = (
  candidate: AnsweringVersion,
  stable: AnsweringVersion,
  heldOut: readonly string[],
  leastVerdicts: number,
  signal: AbortSignal,
) => Promise<ComparedAnswers>;

export type RequestComparisonOptions = TrialOptions & {
  readonly edge: Pick<EdgeClient, "requests" | "request">;
  /** `null`: only readability is compared. */
  readonly judge: AnswerJudge | null;
  /** Requests in the set. */
  readonly most: number;
  readonly seed: number;
  readonly report: Pick<Reporter, "note">;
};

/** After this many failures in a row, the judge is not asked about the rest. */
const MOST_FAILURES = 5;

export function createRequestComparison(options: RequestComparisonOptions): RequestComparison {
  const { edge, policy, format, judge, most, seed, report } = options;

  /** Answers of one version. The seeds are the same for every version. */
  async function answersOf(
    { version, adapter }: AnsweringVersion,
    requests: readonly HeldOutRequest[],
    signal: AbortSignal,
  ): Promise<RecordedTrial[]> {
    await policy.setAdapter(version, adapter);
    const trials: RecordedTrial[] = [];
    for (const { digest, trajectory } of requests) {
      const own = derivedSeed(seed, hashText(digest));
      const given = promptOf(trajectory) ?? [];
      trials.push(await trialAt(trajectory, given, own, options, signal));
      signal.throwIfAborted();
    }
    return trials;
  }

  return async (candidate, stable, earlier, leastVerdicts, signal) => {
    const requests = await heldOutRequests(edge, policy, earlier, { most, seed });
    const after = await answersOf(candidate, requests, signal);
    const before = await answersOf(stable, requests, signal);
    const asked = requests.length < leastVerdicts ? null : judge;
    const verdicts =
      asked === null ? [] : await verdictsOf(asked, requests, after, before, format, signal);
    const said = (...wanted: readonly AnswerVerdict[]): number =>
      verdicts.filter((verdict) => wanted.includes(verdict)).length;
    const comparison = {
      requests: requests.length,
      judged: said("better", "worse", "equal"),
      better: said("better"),
      worse: said("worse"),
      prompt: REQUEST_TRIALS.version,
    };
    const turned = said("turned");
    const found: ComparedAnswers = {
      heldOut: requests.map(({ digest }) => digest),
      readable: after.map(({ record }) => isReadable(record, format)),
      stableReadable: before.map(({ record }) => isReadable(record, format)),
      turned,
      ...(judge !== null && { comparison }),
    };
    report.note("compared-requests", {
      requests: requests.length,
      readable: count(found.readable),
      stableReadable: count(found.stableReadable),
      ...(asked !== null && {
        better: comparison.better,
        worse: comparison.worse,
        equal: said("equal"),
        turned,
        abstained: said("abstained"),
        failed: said("failed"),
      }),
    });
    return found;
  };
}

/** `[requests]` what the judge says. */
async function verdictsOf(
  judge: AnswerJudge,
  requests: readonly HeldOutRequest[],
  after: readonly RecordedTrial[],
  before: readonly RecordedTrial[],
  format: ChatFormat,
  signal: AbortSignal,
): Promise<AnswerVerdict[]> {
  const verdicts: AnswerVerdict[] = [];
  let failures = 0;
  for (const [i, { trajectory }] of requests.entries()) {
    signal.throwIfAborted();
    const both = textsOf(after[i] as RecordedTrial, before[i] as RecordedTrial, format);
    const { request } = recordText(trajectory, format);
    const verdict = failures < MOST_FAILURES ? await judge({ request, ...both }) : "failed";
    // The judge is not asked about equal texts.
    if (both.candidate !== both.stable) failures = verdict === "failed" ? failures + 1 : 0;
    verdicts.push(verdict);
  }
  return verdicts;
}

/** What the judge reads of both. */
function textsOf(
  candidate: RecordedTrial,
  stable: RecordedTrial,
  format: ChatFormat,
): { readonly candidate: string; readonly stable: string } {
  const isFirstAlone = candidate.hasLeft || stable.hasLeft;
  const textOf = ({ record }: RecordedTrial): string =>
    isFirstAlone ? firstAnswer(record, format) : recordText(record, format).transcript;
  return { candidate: textOf(candidate), stable: textOf(stable) };
}

/** The text and the calls of the first turn, without results. */
function firstAnswer({ segments, turns }: Trajectory, format: ChatFormat): string {
  const first = segments.find(({ kind }) => kind === "sampled");
  const { text } = format.parseAssistant(format.decodeAssistant(first?.tokenIds ?? []));
  const calls = turns.slice(0, 1).map(({ toolCalls }) => ({ toolCalls, toolResults: [] }));
  return transcriptOf(calls, text === "" ? null : text);
}

/** Reasons of a policy that did not come to an end. */
const UNFINISHED: ReadonlySet<string> = new Set(["max-tokens", "context-overflow"]);

/** Whether all turns could be read, the last one came to an end, and it says something. */
function isReadable(record: Trajectory, format: ChatFormat): boolean {
  return (
    record.turns.every(({ parseError }) => parseError === null) &&
    !UNFINISHED.has(record.stopReason) &&
    finalTextOf(record, format) !== ""
  );
}
