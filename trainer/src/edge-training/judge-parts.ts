/** What a judge adds to the checks of a training session. */
import { defaultTurnTokens } from "@waggle/agent";
import type { EnvironmentSpec } from "@waggle/environments";
import {
  type ControlState,
  derivedSeed,
  hashText,
  type ToolDefinition,
  WaggleError,
} from "@waggle/protocol";
import type { TrialOptions } from "../check/recorded-trial.ts";
import { createRequestTrials, type RequestTrials } from "../check/request-trials.ts";
import type { TrajectoryCheckerOptions } from "../check/trajectory-check.ts";
import type { FrozenTasks } from "../evaluation/frozen-tasks.ts";
import type { EdgeClient } from "../edge/edge-client.ts";
import { createAnswerJudge } from "../judge/answer-judge.ts";
import { createTrialJudge } from "../judge/trial-judge.ts";
import { createMessageJudge, type MessageJudge } from "../judge/message-judge.ts";
import type { BaseModel } from "../model/base-model.ts";
import type { Reporter } from "../metrics/reporter.ts";
import type { JudgeUse } from "../options/judge-options.ts";
import type { EdgeRecipe } from "../recipes/edge-recipe.ts";
import { createRequestComparison, type RequestComparison } from "../sink/request-comparison.ts";

type Parts = Pick<TrajectoryCheckerOptions, "policy" | "adapterCache"> & {
  readonly model: Pick<BaseModel, "format">;
  readonly recipe: EdgeRecipe;
  /** The site's environment, if it has one: its tools are those of the pages. */
  readonly environment: EnvironmentSpec | undefined;
  /** The tools of the site's pages, if it has no environment. */
  readonly siteTools: readonly ToolDefinition[] | undefined;
  readonly grammars: TrajectoryCheckerOptions["grammars"];
  readonly tasks: Pick<FrozenTasks, "turnTokens" | "constrainToolCalls">;
  readonly seed: number;
  readonly report: Reporter;
};

/** Turns of a trial on a site without an environment. */
const MAX_TURNS = 8;

/** The judge of next messages; `undefined` if none is asked. */
export function messageJudge(judge: JudgeUse | null | undefined): MessageJudge | undefined {
  return judge?.readsMessages === true ? createMessageJudge(judge.server) : undefined;
}

/** How versions answer a recorded request again. */
async function trialOptions(
  judge: JudgeUse | null | undefined,
  { policy, model, recipe, environment, siteTools, tasks }: Parts,
): Promise<TrialOptions> {
  const { turnTokens = defaultTurnTokens(policy.contextLength), constrainToolCalls } = tasks;
  return {
    policy,
    format: model.format,
    tools: environment === undefined ? (siteTools ?? []) : await toolsOf(environment),
    readOnlyTools: judge?.readOnlyTools ?? new Set(),
    sampling: recipe.stage.settings.sampling,
    constrainToolCalls: constrainToolCalls ?? true,
    limits: { maxTurns: environment?.maxTurns ?? MAX_TURNS, maxTokensPerTurn: turnTokens },
  };
}

/** Makes groups of visitors' requests; `undefined` if requests are not tried again. */
export async function requestTrials(
  judge: JudgeUse | null | undefined,
  parts: Parts,
): Promise<RequestTrials | undefined> {
  if (!judge || judge.requestTrials === 0) return undefined;
  const { adapterCache, grammars = null, seed, report } = parts;
  return createRequestTrials({
    ...(await trialOptions(judge, parts)),
    adapterCache,
    judge: createTrialJudge(judge.server),
    trials: judge.requestTrials,
    grammars,
    seed,
    onTried: (counts) => report.note("request-trials", counts),
  });
}

/** Requests whose answers are compared by their readability alone. */
const READ_REQUESTS = 32;

/**
 * Compares versions at visitors' requests, for a site without an environment.
 *
 * @param secret - that pages do not know, for the choice of the requests.
 */
export async function requestComparison(
  judge: JudgeUse | null | undefined,
  parts: Parts,
  edge: EdgeClient,
  secret: string,
): Promise<RequestComparison> {
  const { seed, report } = parts;
  const isJudged = judge != null && judge.comparedRequests > 0;
  return createRequestComparison({
    ...(await trialOptions(judge, parts)),
    edge,
    judge: isJudged ? createAnswerJudge(judge.server) : null,
    most: isJudged ? judge.comparedRequests : READ_REQUESTS,
    seed: derivedSeed(seed, hashText(secret)),
    report,
  });
}

async function toolsOf(environment: EnvironmentSpec): Promise<readonly ToolDefinition[]> {
  const { environment: first } = environment.create(environment.reference(0, "train", 0));
  return (await first.observe()).tools;
}

/** @throws WaggleError `INVALID_ARGUMENT` if the trainer has a judge and the site does not say so, or the other way round. */
export function requireSameJudge(
  judge: JudgeUse | null | undefined,
  { environment, feedbackFrom = [], feedbackWaitSeconds = 0 }: ControlState,
): void {
  const isDeclared = feedbackFrom.includes("judge");
  // A judge that only compares versions teaches nothing.
  const teaches = judge != null && (judge.readsMessages || judge.requestTrials > 0);
  if (judge && judge.comparedRequests > 0 && environment !== "") {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `--compare-requests is for a site without an environment, and this edge assigns tasks of ${environment}; leave it out, or remove training.judge.comparisons from waggle.config.ts`,
    );
  }
  if (teaches && !isDeclared) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      "this trainer has a judge, but the site does not say that a judge reads its visitors' texts; set training.judge in waggle.config.ts and deploy again, or name judge in the edge's FEEDBACK_FROM",
    );
  }
  if (!teaches && isDeclared) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      "the site learns from what a judge says, and this trainer has none; pass --judge-messages or --request-trials, or remove training.judge from waggle.config.ts and deploy again",
    );
  }
  if (judge && judge.requestTrials > 0 && feedbackWaitSeconds > 0) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      "--request-trials tries requests without feedback, and this edge keeps these from the trainer until they have some; remove training.feedbackWaitSeconds, or set the edge's FEEDBACK_WAIT_SECONDS to 0",
    );
  }
}
