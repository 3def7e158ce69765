/**
 * Wires a training run: base model, engine, policy, edge, state folder and loop. The command line
 * supplies the options; the parts do the work. Modules that know environments are loaded only for a site that has one.
 */
import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { GuidanceReference, TrainEngine } from "@waggle/protocol";
import { WaggleError } from "@waggle/protocol";
import { abortableSleep } from "../edge/abortable-sleep.ts";
import { createAdapterCache } from "../model/adapter-cache.ts";
import type { BaseModel } from "../model/base-model.ts";
import { openCheckJournal } from "../check/check-journal.ts";
import {
  type TrainerCheckpoint,
  type TrainerCheckpoints,
  openTrainerCheckpoints,
} from "../checkpoint/trainer-checkpoint.ts";
import { containCheck } from "../check/contained-check.ts";
import type { EdgeClient } from "../edge/edge-client.ts";
import { uploadFile } from "../edge/object-upload.ts";
import { PART_BYTES } from "../edge/part-size.ts";
import { adoptedState, hasOtherStable, withPolicies } from "../edge/edge-following.ts";
import type { EdgeRecipe } from "../recipes/edge-recipe.ts";
import { frozenTasksName, keepingBase, type FrozenTasks } from "../evaluation/frozen-tasks.ts";
import { type HeartbeatSender, startHeartbeat } from "../edge/heartbeat.ts";
import { createLeaseHolder } from "../source/lease-holder.ts";
import { isElsewhere, openSessionEngine } from "./session-engine.ts";
import { openMetricsLog } from "../metrics/metrics-log.ts";
import { grammarsOf } from "../model/model-grammars.ts";
import { openPolicy } from "../model/open-model.ts";
import { requireTurnTokens } from "../rollouts/turn-limit.ts";
import { createGuidanceCache } from "../model/guidance-cache.ts";
import { promotionRule } from "../sink/promotion-rule.ts";
import { retentionPlayer } from "../sink/retention-check.ts";
import { baseScorer } from "../update/base-scorer.ts";
import { messageJudge, requestComparison, requestTrials, requireSameJudge } from "./judge-parts.ts";
import type { Replay } from "../check/replay.ts";
import { requireEngine } from "../recipes/required-engine.ts";
import type { Reporter } from "../metrics/reporter.ts";
import { initialState } from "../checkpoint/trainer-state.ts";
import { lockState } from "../checkpoint/state-lock.ts";
import { createFeedbackCheck } from "../check/feedback-check.ts";
import { bandsOf } from "../check/format-bands.ts";
import { hintedSequences } from "../recipes/hinted-sequence.ts";
import { createTrajectoryChecker, LOG_PROB_BAND } from "../check/trajectory-check.ts";
import {
  requireCollected,
  requireFeedback,
  requireGateWithoutTasks,
  requireSameEnvironment,
} from "./session-checks.ts";
import { isRetryable, type Reach, untilAnswered } from "./awaited-edge.ts";
import { runTrainingLoop } from "./training-loop.ts";
import type { TrainingSummary } from "./training-parts.ts";
import type { TrainingSessionOptions } from "./training-session-options.ts";

const TRAINER_ID = `trainer-${process.pid}`;

/**
 * Trains until a limit or the signal. If the edge's stable version changes, training restarts from the
 * new one.
 *
 * @throws WaggleError a retryable one if the edge does not answer and the state folder has no state yet: the address may be
 *   wrong. A trainer with a state waits for its edge.
 */
export async function trainFromEdge(
  model: BaseModel,
  edge: EdgeClient,
  recipe: EdgeRecipe,
  options: TrainingSessionOptions,
  report: Reporter,
  signal: AbortSignal,
): Promise<TrainingSummary> {
  await mkdir(options.stateFolder, { recursive: true });
  const release = await lockState(options.stateFolder, {
    waits: options.waits,
    sleep: abortableSleep,
    signal,
    onWait: (message) => report.note("waiting", { because: message }),
  });
  const heartbeat = startHeartbeat({
    trainerId: TRAINER_ID,
    send: (beat) => edge.sendHeartbeat(beat),
    every: (ms, fn) => {
      const timer = setInterval(fn, ms);
      return () => clearInterval(timer);
    },
  });
  try {
    const store = openTrainerCheckpoints(options.stateFolder);
    const found = options.isResuming ? await store.load() : null;
    /** The last known step; `null`: this trainer has not begun. */
    let begunAt = found?.state.step ?? null;
    const reach: Reach = (calls) => {
      if (begunAt === null) return calls();
      const step = begunAt;
      const onWait = (): void => heartbeat.note("waiting", step);
      return untilAnswered(calls, { ...options, report, onWait, signal });
    };
    let twice = 0;
    try {
      await reach(() => offerBaseModel(model, edge, (...noted) => report.note(...noted)));
      if (!options.isResuming) await store.clear();
      for (let { start } = options; ; start = undefined) {
        const given = { ...options, start };
        const noted = { report, note: heartbeat.note, reach };
        const summary = await runSession(model, edge, recipe, given, store, noted, signal);
        twice += summary.twice;
        const { stoppedBy, state } = summary;
        begunAt = state.step;
        if (stoppedBy !== "stable-changed" && stoppedBy !== "environment-changed") {
          return { ...summary, twice };
        }
        report.note(stoppedBy, { from: state.stableVersion });
      }
    } catch (error) {
      const isStopped = begunAt !== null && signal.aborted && isRetryable(error);
      const saved = isStopped ? await store.load() : null;
      if (saved === null) throw error;
      return { stoppedBy: "signal", state: saved.state, twice };
    }
  } finally {
    await heartbeat.stop();
    release();
  }
}

/** Runs from the saved state, or from the edge's stable version, until the loop ends. */
async function runSession(
  model: BaseModel,
  edge: EdgeClient,
  recipe: EdgeRecipe,
  options: TrainingSessionOptions,
  store: TrainerCheckpoints,
  { report, note, reach }: { report: Reporter; note: HeartbeatSender["note"]; reach: Reach },
  signal: AbortSignal,
): Promise<TrainingSummary> {
  const adapterCache = createAdapterCache({
    folder: join(options.stateFolder, "adapters"),
    config: model.config,
    download: (digest) => edge.getObject(digest),
  });
  const guidance = createGuidanceCache((digest) => edge.getObject(digest));
  const saved = await store.load();
  const { policies, control } = await reach(async () => ({
    policies: await edge.policies(),
    control: await edge.control(),
  }));
  const { environment } = control;
  requireCollected(recipe, control);
  if (recipe.feedback !== null) requireFeedback(recipe, control);
  requireSameJudge(options.judge, control);
  if (environment === "") requireGateWithoutTasks(recipe, options.judge, policies.gate);
  // Without tasks and feedback, a trainer waits for its first task.
  const practiced =
    environment === ""
      ? undefined
      : (await import("../edge/assigned-environment.ts")).assignedEnvironment(
          control,
          options.environments,
        );
  const tasks: FrozenTasks = { ...options.tasks, environment };
  if (saved !== null) requireSameEnvironment(saved, model, policies);
  // After the checks: a state that does not belong to this edge leaves nothing there.
  const stateId = saved?.state.stateId ?? randomUUID();
  const { knownStep, newestStep } = await reach(() =>
    edge.openLineage({ stateId, step: saved?.state.step ?? 0 }),
  );
  // Steps that the edge knows and the state lacks mean that the state was restored from an older copy.
  const isBehind = saved !== null && (knownStep ?? 0) > saved.state.step;
  if (isBehind) report.note("state-behind", { step: saved.state.step, known: knownStep });
  const isMoved = saved !== null && isElsewhere(saved.state, saved.engine, options.device);
  const isOurs = saved !== null && !isBehind && !hasOtherStable(saved.state, policies);
  const goesOn = isOurs && !isMoved;
  if (saved !== null && options.start !== undefined) {
    throw new WaggleError(
      "CONFLICT",
      `--adapter sets the initial adapter, but the state in ${options.stateFolder} is already at step ${saved.state.step}; pass --no-resume or another --state folder`,
    );
  }

  const stable = policies.policies.find(({ version }) => version === policies.stable)?.adapter;
  const { engine, place } = await openSessionEngine(
    model,
    options,
    adapterCache,
    goesOn ? saved.state : null,
    stable ?? null,
  );
  const policy = await openPolicy(model, options.threads);
  requireTurnTokens(tasks.turnTokens, policy.contextLength);
  const leases = createLeaseHolder({
    edge,
    trainerId: TRAINER_ID,
    durationSeconds: options.leaseSeconds,
    now: () => performance.now(),
  });
  // Renewal must not wait for a long pass to end. Failures surface at the loop's next call.
  const renewal = setInterval(
    () => void leases.renewDue().catch((error: unknown) => report.failure(error)),
    (options.leaseSeconds * 1000) / 6,
  );
  try {
    requireEngine(recipe, engine.capabilities());
    if (saved !== null && !goesOn) {
      const note = isMoved ? "moved" : "adopted";
      report.note(note, { stable: policies.stable, discarded: saved.state.stableVersion });
    }
    let start: TrainerCheckpoint;
    if (goesOn) {
      const state = withPolicies(saved.state, policies, randomUUID);
      start = { ...saved, state: { ...state, stateId } };
      await engine.load(start.engine);
    } else {
      if (options.start?.checkpoint) await engine.load(options.start.checkpoint);
      const fresh = await engine.save();
      const earlier =
        saved?.state ??
        initialState({
          baseModel: model.reference.sha256,
          recipe: recipe.name,
          seed: options.seed,
        });
      const adopted = adoptedState(earlier, policies);
      const state = {
        ...adopted,
        step: Math.max(adopted.step, newestStep),
        // The older copy is a new lineage from here on.
        stateId: isBehind ? randomUUID() : stateId,
        ...place,
      };
      start = { state, engine: fresh, stable: fresh };
      await store.commit(start);
    }
    if (tasks.constrainToolCalls !== false && !canMask(engine)) {
      report.note("skips-constrained-calls", {
        because:
          "this engine cannot train on tool calls that were sampled under a grammar; set constrainToolCalls to false in the site's pages and pass --no-constrain-tool-calls",
      });
    }
    const metricsLog = await openMetricsLog(options.stateFolder, {
      tensorboard: options.tensorboard,
      from: start.state.step,
    });
    const { device, precision = "f32" } = engine.capabilities();
    report.note("started", {
      device,
      precision,
      policy: policy.client.device,
      recipe: recipe.name,
      step: start.state.step,
      stable: start.state.stableVersion,
      baseModel: model.reference.sha256,
    });
    const parts = {
      policy,
      format: model.format,
      sampling: recipe.stage.settings.sampling,
      environments: options.environments,
    };
    const partsWith = async (said: GuidanceReference | undefined) => ({
      ...parts,
      guidance: said === undefined ? null : await guidance.get(said),
    });
    const grammars = grammarsOf(model, policy.vocabularySize);
    const { seed } = options;
    const given = {
      policy,
      adapterCache,
      model,
      recipe,
      grammars,
      tasks,
      seed,
      report,
      environment: practiced,
      siteTools: options.tools,
    };
    const checker = createTrajectoryChecker({
      policy,
      adapterCache,
      guidance,
      replay:
        practiced === undefined
          ? nothingReplayed
          : (await import("../check/replay.ts")).createReplay({
              format: model.format,
              contextLength: policy.contextLength,
              vocabularySize: policy.vocabularySize,
              environments: options.environments,
            }),
      ...(recipe.feedback !== null && {
        feedback: createFeedbackCheck(
          recipe.feedback,
          model.format,
          practiced ?? options.tools,
          messageJudge(options.judge),
        ),
      }),
      makesPairs: recipe.stage.learns === "pairs",
      tryAgain: await requestTrials(options.judge, given),
      maxStaleness: recipe.maxStaleness,
      ...bandsOf(model.storedFormat),
      servedSequences: engine.capabilities().sequences,
      grammars,
    });
    return await runTrainingLoop(
      {
        edge,
        engine,
        recipe,
        base: baseScorer(policy),
        hinted: hintedSequences(model.format, policy.contextLength),
        leases,
        store,
        report,
        checker: containCheck(checker, await openCheckJournal(options.stateFolder), report),
        publication: {
          edge,
          engine,
          adapterCache,
          adapterShape: place.adapterShape ?? options,
          evaluate: keepingBase(async (version, adapter, stop, said) => {
            const { evaluateVersion } = await import("../evaluation/frozen-evaluation.ts");
            return evaluateVersion(await partsWith(said), tasks, version, adapter, stop);
          }),
          retention: retentionPlayer(practiced, tasks, partsWith),
          ...(environment === "" && {
            compareRequests: await requestComparison(options.judge, given, edge, stateId),
          }),
          environment: tasks.environment,
          evaluationName: frozenTasksName(tasks),
          mayPromote: promotionRule(options.promotionMargin),
          report,
        },
        metricsLog,
        note,
        sleep: abortableSleep,
        now: () => performance.now(),
        date: () => new Date().toISOString(),
        newId: randomUUID,
        turn: options.turn,
      },
      { ...options, band: LOG_PROB_BAND.max },
      start,
      signal,
    );
  } finally {
    clearInterval(renewal);
    await engine.dispose();
    await policy.dispose();
  }
}

/** A site without an environment assigns no tasks, so nothing can be run again. */
const nothingReplayed: Replay = () =>
  Promise.resolve({ holds: false, status: "skipped", reason: "no-verifier" });

function canMask(engine: TrainEngine): boolean {
  return engine.capabilities().sequences.includes("keptTokenIds");
}

/**
 * Uploads the files that the edge lacks and registers them as version 0. Safe to repeat; an upload that was stopped goes
 * on where it stopped.
 *
 * @param note - called after each part of a large file.
 */
export async function offerBaseModel(
  model: BaseModel,
  edge: EdgeClient,
  note?: (...noted: Parameters<Reporter["note"]>) => void,
): Promise<void> {
  for (const { path: file, sha256, sizeBytes } of model.reference.files) {
    const form = await edge.storedForm(sha256);
    const isLarge = sizeBytes > PART_BYTES;
    if (form === "gzip" || (form === "plain" && isLarge)) continue;
    const opened = model.openFile(file);
    if (form === "plain") {
      // An earlier release stored it, or compression saves nothing.
      await edge.compressObject(sha256, await opened.read(0, sizeBytes));
      continue;
    }
    const sent = { sha256, sizeBytes, read: opened.read.bind(opened) };
    await uploadFile(edge, sent, (sentBytes) =>
      note?.("uploading", { file, sentBytes, sizeBytes }),
    );
  }
  await edge.setBaseModel({
    baseModel: model.reference,
    vocabularySize: model.config.vocabularySize,
    contextLength: model.config.contextLength,
  });
}
