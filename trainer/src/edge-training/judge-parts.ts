/** What a judge adds to the checks of a training session. */
import { defaultTurnTokens } from "@waggle/agent";
import type { EnvironmentSpec } from "@waggle/environments";
import { type ControlState, type ToolDefinition, WaggleError } from "@waggle/protocol";
import { createRequestTrials, type RequestTrials } from "../check/request-trials.ts";
import type { TrajectoryCheckerOptions } from "../check/trajectory-check.ts";
import type { FrozenTasks } from "../evaluation/frozen-tasks.ts";
import { createTrialJudge } from "../judge/trial-judge.ts";
import { createMessageJudge, type MessageJudge } from "../judge/message-judge.ts";
import type { BaseModel } from "../model/base-model.ts";
import type { Reporter } from "../metrics/reporter.ts";
import type { JudgeUse } from "../options/judge-options.ts";
import type { EdgeRecipe } from "../recipes/edge-recipe.ts";

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

/** Makes groups of visitors' requests; `undefined` if requests are not tried again. */
export async function requestTrials(
  judge: JudgeUse | null | undefined,
  {
    policy,
    adapterCache,
    model,
    recipe,
    environment,
    siteTools,
    grammars,
    tasks,
    seed,
    report,
  }: Parts,
): Promise<RequestTrials | undefined> {
  if (!judge || judge.requestTrials === 0) return undefined;
  const { turnTokens = defaultTurnTokens(policy.contextLength), constrainToolCalls } = tasks;
  return createRequestTrials({
    policy,
    adapterCache,
    format: model.format,
    judge: createTrialJudge(judge.server),
    trials: judge.requestTrials,
    tools: environment === undefined ? (siteTools ?? []) : await toolsOf(environment),
    readOnlyTools: judge.readOnlyTools,
    sampling: recipe.stage.settings.sampling,
    grammars: grammars ?? null,
    constrainToolCalls: constrainToolCalls ?? true,
    limits: { maxTurns: environment?.maxTurns ?? MAX_TURNS, maxTokensPerTurn: turnTokens },
    seed,
    onTried: (counts) => report.note("request-trials", counts),
  });
}

async function toolsOf(environment: EnvironmentSpec): Promise<readonly ToolDefinition[]> {
  const { environment: first } = environment.create(environment.reference(0, "train", 0));
  return (await first.observe()).tools;
}

/** @throws WaggleError `INVALID_ARGUMENT` if the trainer has a judge and the site does not say so, or the other way round. */
export function requireSameJudge(
  judge: JudgeUse | null | undefined,
  { feedbackFrom = [], feedbackWaitSeconds = 0 }: ControlState,
): void {
  const isDeclared = feedbackFrom.includes("judge");
  if (judge && !isDeclared) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      "this trainer has a judge, but the site does not say that a judge reads its visitors' texts; set training.judge in waggle.config.ts and deploy again, or name judge in the edge's FEEDBACK_FROM",
    );
  }
  if (!judge && isDeclared) {
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
