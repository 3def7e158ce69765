/**
 * Checks a trajectory without trusting the browser that sent it. Identity, assignment, version, tool
 * calls, tool results and reward are recomputed, and log-probs are re-scored at the claimed version
 * under the recorded sampling options. A failed check is an outcome with a reason, never an exception.
 */
import { isInsideBand, type LogProbBand, logProbGap } from "@waggle/learning";
import type { AdaptivePolicy } from "@waggle/runtime/node";
import {
  canonicalJson,
  CONSENT_DAYS,
  consentScopes,
  type EngineCapabilities,
  type GrammarCompiler,
  isConsentCurrent,
  type LeasedGroup,
  type LeasedTrajectory,
  otherSeedAt,
  type SampledSegment,
  type ToolDifference,
  toTrainingSamples,
  type TrainingSample,
  type Trajectory,
  trajectoryDigest,
  type TrajectoryOutcome,
  type Verification,
} from "@waggle/protocol";
import type { AdapterCache } from "../model/adapter-cache.ts";
import type { GuidanceCache } from "../model/guidance-cache.ts";
import {
  atVersion,
  givenVerdict,
  rejection,
  wantedId,
  withLastAnswerAlone,
} from "./edited-answer.ts";
import type { FeedbackCheck } from "./feedback-check.ts";
import { expandGrammars } from "./grammar-expansion.ts";
import { learnableTrajectory, type LearnableTrajectory } from "./learnable-group.ts";
import {
  DRAW_BAND,
  type DrawBand,
  drawGaps,
  isCut,
  isRedrawable,
  withoutKeptSets,
} from "./redraw.ts";
import { rescore, withOwnScores } from "./rescoring.ts";
import { PAGE_TOOL_FAILED } from "../evaluation/skipped-outcome.ts";
import type { Replay } from "./replay.ts";
import type { RequestTrials } from "./request-trials.ts";
import { stalenessOf, type TrainerState } from "../checkpoint/trainer-state.ts";

/**
 * Band for honest clients, in nats. Float32 on WASM, WebGPU and native CPU differ by 1e-5 to 1e-4 per
 * token; a wrong version or a forged value differs by far more.
 */
export const LOG_PROB_BAND: LogProbBand = { mean: 2e-3, max: 0.05 };

/**
 * Lowest temperature to train on. A token's gradient grows with 1 / temperature, so below it one
 * visitor could dominate the step. Far below, 1 / temperature overflows float32 and the whole step is
 * lost.
 */
const MIN_TEMPERATURE = 0.5;

const UNDRAWN_WEIGHT = 0.25;

/** The checked trajectory, or `null` with the reason in `outcome`. */
export type CheckedTrajectory = {
  readonly trajectory: LearnableTrajectory | null;
  /** To learn from in its place: new trials at a visitor's request, or both sides of a preference. */
  readonly trials?: readonly LearnableTrajectory[];
  readonly outcome: TrajectoryOutcome;
};

/** Checks one trajectory of a leased group. Never throws because of the trajectory's content. */
export interface TrajectoryChecker {
  check(
    leased: LeasedTrajectory,
    group: LeasedGroup,
    state: TrainerState,
  ): Promise<CheckedTrajectory>;
}

export type TrajectoryCheckerOptions = {
  readonly policy: AdaptivePolicy;
  readonly adapterCache: Pick<AdapterCache, "get">;
  /** Looks up the guidance of versions; absent = no version has guidance. */
  readonly guidance?: GuidanceCache;
  /** Judges rollouts of assigned tasks. */
  readonly replay: Replay;
  /** Judges visitors' own requests, in place of assigned tasks; absent = such requests are skipped. */
  readonly feedback?: FeedbackCheck;
  /** Whether an answer that a visitor or staff wrote is learned together with the one that was given. */
  readonly makesPairs?: boolean;
  /** Makes groups of visitors' own requests, beside assigned tasks; absent = such requests are skipped. */
  readonly tryAgain?: RequestTrials | undefined;
  readonly maxStaleness: number;
  readonly band?: LogProbBand;
  /** How far tokens may be from those that the recorded seeds select. Default `DRAW_BAND`. */
  readonly drawBand?: DrawBand;
  /**
   * Weight of a record whose tokens cannot be drawn again, in (0, 1]: it may have been chosen or written by hand. Default
   * 0.25.
   */
  readonly undrawnWeight?: number;
  /**
   * Sampling options that the engine can replay. Trajectories with others are skipped. Default: all.
   */
  readonly servedSequences?: EngineCapabilities["sequences"];
  /**
   * Grammars of the model's tokenizer. Without them, trajectories sampled under a grammar are skipped.
   */
  readonly grammars?: GrammarCompiler;
};

type Refusal = {
  readonly status: "rejected" | "skipped";
  readonly reason: string;
  readonly difference?: ToolDifference;
};

/** Creates a checker that judges and re-scores trajectories. */
export function createTrajectoryChecker(options: TrajectoryCheckerOptions): TrajectoryChecker {
  const { policy, replay, maxStaleness, grammars = null } = options;
  const { band = LOG_PROB_BAND, drawBand = DRAW_BAND, undrawnWeight = UNDRAWN_WEIGHT } = options;

  return {
    async check(leased, group, state) {
      const { digest, visitorId, trajectory } = leased;
      const staleness = stalenessOf(state, trajectory.policyVersion);
      const refused = (
        { status, reason, difference }: Refusal,
        more: Partial<TrajectoryOutcome> = {},
      ): CheckedTrajectory => ({
        trajectory: null,
        outcome: {
          digest,
          status,
          reason,
          ...(difference === undefined ? {} : { difference }),
          staleness,
          ...more,
        },
      });

      const tryAgain = trajectory.task === null ? options.tryAgain : undefined;
      const claim =
        (await refusalOfClaim(digest, trajectory, group, policy)) ??
        (tryAgain ? null : refusalOfTask(trajectory, options.feedback === undefined)) ??
        refusalOfTokens(trajectory, state, policy);
      if (claim !== null) return refused(claim);
      if (tryAgain !== undefined) {
        // Unlike a check, trials verify nothing that could end a quarantine.
        if (leased.reputation === 0) return refused(skip("quarantined"));
        const { trials, reason } = await tryAgain(leased, state);
        if (trials === null) return refused(skip(reason));
        const own = trials.map((trial) => ({ ...trial, visitorId }));
        return { trajectory: null, trials: own, outcome: { digest, status: "learned" } };
      }

      const said = state.versions.find(
        ({ version }) => version === trajectory.policyVersion,
      )?.guidance;
      const guidance = said === undefined ? null : await options.guidance?.get(said);
      const checked: Awaited<ReturnType<FeedbackCheck>> = await (options.feedback === undefined
        ? replay(trajectory, guidance ?? null)
        : options.feedback(leased));
      if (!checked.holds) return refused(checked);
      const { verification } = checked;
      const { reward, success } = givenVerdict(verification);
      const judged = { reward, success };

      const record = checked.judged ?? trajectory;
      const expanded = await expandGrammars(record, grammars, policy.vocabularySize);
      if (expanded === null) return refused({ status: "rejected", reason: "grammar-mismatch" });
      const samples = toTrainingSamples(expanded);
      const drawnAmong = isRedrawable(record) ? await allowedSets(record, expanded, options) : null;
      const rescored = await rescore(options, samples, state, drawnAmong);
      const { logProbs: rescoredLogProbs } = rescored;
      const gap = logProbGap(
        samples.flatMap((sample) => sample.behaviorLogProbs.filter((_, t) => sample.lossMask[t])),
        samples.flatMap((sample, i) =>
          (rescoredLogProbs[i] as readonly number[]).filter((_, t) => sample.lossMask[t]),
        ),
      );
      const { drawIntervals } = rescored;
      const mismatches =
        drawIntervals === null
          ? null
          : drawGaps(samples, drawIntervals).filter((draw) => !(draw <= drawBand.gap)).length;
      const measured = {
        ...judged,
        ...(Number.isFinite(gap.mean) ? { logProbGapMean: gap.mean } : {}),
        ...(Number.isFinite(gap.max) ? { logProbGapMax: gap.max } : {}),
        ...(mismatches === null ? {} : { drawMismatches: mismatches }),
      };
      if (!isInsideBand(gap, band)) {
        return refused({ status: "rejected", reason: "log-prob-gap" }, measured);
      }
      if (mismatches !== null && mismatches > drawBand.mismatches) {
        return refused({ status: "rejected", reason: "not-drawn-from-seed" }, measured);
      }
      if (!isReplayable(samples, options.servedSequences)) {
        return refused({ status: "skipped", reason: "engine-without-sampling" }, measured);
      }
      // Nobody sampled the answer that is imitated.
      if (checked.edited === undefined && staleness > maxStaleness) {
        return refused({ status: "skipped", reason: "stale" }, measured);
      }
      const outcome: TrajectoryOutcome = {
        digest,
        status: "learned",
        ...(checked.judged === undefined ? {} : { reason: PAGE_TOOL_FAILED }),
        staleness,
        ...measured,
      };
      if (checked.edited !== undefined) {
        const wanted = await scored(checked.edited, verification);
        const alone = withLastAnswerAlone(expanded);
        const rejected = alone === null ? null : await scored(alone, rejection(verification));
        if (wanted === null || alone === null || rejected === null) {
          return refused({ status: "skipped", reason: "edit-too-long" });
        }
        const { stableVersion } = state;
        const given =
          trajectory.policyVersion === stableVersion
            ? rejected
            : await scored(atVersion(alone, stableVersion), rejection(verification));
        const replacing = { ...wanted, ...(given !== null && { given }) };
        if (options.makesPairs !== true) return { trajectory: replacing, outcome };
        const chosen = { ...wanted.trajectory, id: wantedId(wanted.trajectory.id) };
        const trials = [{ ...replacing, trajectory: chosen }, rejected];
        return { trajectory: null, trials, outcome };
      }
      const learnable = learnableTrajectory(
        digest,
        withOwnScores(expanded, rescored.ownScores),
        verification,
        staleness,
        rescoredLogProbs,
      );
      const weight = drawnAmong === null ? { reputation: undrawnWeight } : {};
      return { trajectory: { ...learnable, visitorId, ...weight }, outcome };

      /** A record with the log-probs that its tokens have at its version; `null` if it is too long. */
      async function scored(
        record: Trajectory,
        verdict: Verification,
      ): Promise<LearnableTrajectory | null> {
        const { logProbs: rows } = await rescore(options, toTrainingSamples(record), state, null);
        if (!rows.flat().every(Number.isFinite)) return null;
        const unscored = learnableTrajectory(digest, record, verdict, staleness, rows);
        const samples = unscored.trajectory.samples.map((sample, i) => ({
          ...sample,
          behaviorLogProbs: rows[i] as readonly number[],
        }));
        return { ...unscored, visitorId, trajectory: { ...unscored.trajectory, samples } };
      }
    },
  };
}

const reject = (reason: string): Refusal => ({ status: "rejected", reason });
const skip = (reason: string): Refusal => ({ status: "skipped", reason });

/** Whether it is what it claims to be, from whom and for what. */
async function refusalOfClaim(
  digest: string,
  trajectory: Trajectory,
  group: LeasedGroup,
  policy: AdaptivePolicy,
): Promise<Refusal | null> {
  if ((await trajectoryDigest(trajectory)) !== digest) return reject("digest-mismatch");
  const refused = refusalOfConsent(trajectory, group);
  if (refused !== null) return refused;
  if (trajectory.baseModel !== policy.baseModel) return reject("base-model-mismatch");
  if (otherSeedAt(trajectory) !== null) return reject("not-drawn-from-seed");
  if (canonicalJson(trajectory.task) !== canonicalJson(group.task)) {
    return reject("assignment-mismatch");
  }
  return null;
}

/** The edge checks the same when it stores a record. Since then the consent may have expired. */
function refusalOfConsent(
  { consent }: Trajectory,
  { consentDays = CONSENT_DAYS }: LeasedGroup,
): Refusal | null {
  if (!consent.scopes.includes("train")) return skip("no-train-consent");
  return isConsentCurrent(consent, consentDays, Date.now()) ? null : skip("consent-expired");
}

/** A verifier judges assigned tasks only, and feedback judges visitors' own requests only. */
function refusalOfTask({ task, consent }: Trajectory, learnsFromTasks: boolean): Refusal | null {
  if (learnsFromTasks) return task === null ? skip("no-verifier") : null;
  if (task !== null) return skip("no-feedback");
  return consentScopes(consent).includes("feedback") ? null : skip("no-feedback-consent");
}

/** The checks of what was sampled that need no replay and no model. */
function refusalOfTokens(
  trajectory: Trajectory,
  state: TrainerState,
  policy: AdaptivePolicy,
): Refusal | null {
  const sampled = trajectory.segments.filter((segment) => segment.kind === "sampled");
  if (sampled.length === 0) return skip("nothing-sampled");
  if (sampled[0]?.policyVersion !== trajectory.policyVersion) return reject("version-mismatch");
  const versions = new Set(state.versions.map(({ version }) => version));
  if (sampled.some(({ policyVersion }) => !versions.has(policyVersion))) {
    return reject("unknown-policy-version");
  }
  const tokens = trajectory.segments.flatMap(({ tokenIds }) => tokenIds);
  if (tokens.some((id) => id >= policy.vocabularySize)) return reject("unknown-token");
  if (sampled.some((segment) => hasForgedKeptSet(segment, policy.vocabularySize)))
    return reject("kept-set-mismatch");
  if (sampled.some(({ sampling }) => sampling.temperature < MIN_TEMPERATURE)) {
    return skip("temperature-too-low");
  }
  // A rollout that a person cut off says nothing about the task.
  if (trajectory.stopReason === "aborted" || trajectory.stopReason === "timeout") {
    return skip(trajectory.stopReason);
  }
  return null;
}

/** A kept set that is claimed too small would make any token look certain. */
function hasForgedKeptSet(segment: SampledSegment, vocabularySize: number): boolean {
  const { sampling, keptTokenIds, tokenIds } = segment;
  const isFull = sampling.topK === 0 && sampling.topP === 1;
  if (keptTokenIds === undefined) return !isFull && sampling.topK < vocabularySize;
  return keptTokenIds.some((kept, t) => {
    if (kept === null) return false;
    const isTooLarge = sampling.topK > 0 && kept.length > sampling.topK;
    return (
      isFull ||
      isTooLarge ||
      !kept.includes(tokenIds[t] as number) ||
      kept.some((id) => id >= vocabularySize)
    );
  });
}

/**
 * `[samples][T]` ids that grammars allowed, `null` for all.
 *
 * @param expanded - the trajectory with its grammars expanded.
 */
async function allowedSets(
  trajectory: Trajectory,
  expanded: Trajectory,
  { grammars, policy }: TrajectoryCheckerOptions,
): Promise<(readonly (readonly number[] | null)[])[]> {
  const hasCuts = trajectory.segments.some(
    (segment) => segment.kind === "sampled" && isCut(segment),
  );
  const masked = hasCuts
    ? await expandGrammars(withoutKeptSets(trajectory), grammars ?? null, policy.vocabularySize)
    : expanded;
  return toTrainingSamples(masked ?? expanded).map(
    ({ sequence, lossMask }) => sequence.keptTokenIds ?? lossMask.map(() => null),
  );
}

/**
 * Whether an engine can compute these tokens under the distribution that they were sampled from.
 */
function isReplayable(
  samples: readonly TrainingSample[],
  served: EngineCapabilities["sequences"] | undefined,
): boolean {
  return samples.every(({ sequence }) =>
    (["temperatures", "keptTokenIds"] as const).every(
      (member) => sequence[member] === undefined || (served?.includes(member) ?? true),
    ),
  );
}
