/** Whether an edge and a saved state fit this trainer. */
import {
  type ControlState,
  type FeedbackSource,
  type PoliciesResponse,
  type PromotionGate,
  WaggleError,
} from "@waggle/protocol";
import type { TrainerCheckpoint } from "../checkpoint/trainer-checkpoint.ts";
import type { BaseModel } from "../model/base-model.ts";
import type { JudgeUse } from "../options/judge-options.ts";
import type { EdgeRecipe } from "../recipes/edge-recipe.ts";

/** @throws WaggleError `INVALID_ARGUMENT` if the site collects nothing that the recipe learns from. */
export function requireCollected({ name, stage }: EdgeRecipe, { collect }: ControlState): void {
  const isFromRewards = stage.evolution !== null;
  // An edge of the previous release does not say what it collects.
  if (collect === undefined || isFromRewards === (collect === "rewards")) return;
  throw new WaggleError(
    "INVALID_ARGUMENT",
    isFromRewards
      ? `recipe ${name} learns from rewards alone, and this site collects trajectories; set consent.collect to "rewards" in waggle.config.ts, or choose another recipe`
      : `recipe ${name} learns from trajectories, and this site collects rewards only; choose --recipe evolution-strategies`,
  );
}

/** What an edge of the previous release waits for. */
const WAITS_FOR: readonly FeedbackSource[] = ["thumb"];
/** Sources that recipes read in addition. An edge that was deployed before there were any goes on without. */
const OPTIONAL: ReadonlySet<string> = new Set<FeedbackSource>(["undo", "staff"]);

/** @throws WaggleError `INVALID_ARGUMENT` if the edge would hand out requests before there is feedback on them. */
export function requireFeedback(
  { name, feedback }: EdgeRecipe,
  { feedbackWaitSeconds = 0, feedbackFrom }: ControlState,
): void {
  const known: ReadonlySet<string> = new Set(feedbackFrom ?? WAITS_FOR);
  const missing = Object.keys(feedback ?? {}).find(
    (source) => !known.has(source) && !OPTIONAL.has(source),
  );
  if (feedbackWaitSeconds > 0 && missing !== undefined) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `recipe ${name} learns from the feedback "${missing}", but this edge waits for ${[...known].join(" and ")} only; name it in the edge's FEEDBACK_FROM, or deploy the site again`,
    );
  }
  if (feedbackWaitSeconds > 0) return;
  throw new WaggleError(
    "INVALID_ARGUMENT",
    `recipe ${name} learns from feedback on visitors' own requests, but this edge does not wait for feedback; set training.feedbackWaitSeconds in waggle.config.ts, or the edge's FEEDBACK_WAIT_SECONDS`,
  );
}

/**
 * @throws WaggleError `INVALID_ARGUMENT` if the site learns from visitors' own requests without an environment, and nothing
 *   could decide about what it learned.
 */
export function requireGateWithoutTasks(
  { feedback }: EdgeRecipe,
  judge: JudgeUse | null | undefined,
  { hasRelease = false }: PromotionGate,
): void {
  const isFromRequests = feedback !== null || (judge?.requestTrials ?? 0) > 0;
  const isCompared = (judge?.comparedRequests ?? 0) > 0;
  if (!isFromRequests || isCompared || hasRelease) return;
  throw new WaggleError(
    "INVALID_ARGUMENT",
    "this site has no environment, so no task shows whether a version is better, and it learns nothing until visitors or a judge can decide; set gate.release or training.judge.comparisons in waggle.config.ts and deploy again, or give the site an environment",
  );
}

/** @throws WaggleError `INVALID_ARGUMENT`, `POLICY_VERSION_UNKNOWN` if the state is of another base model or edge. */
export function requireSameEnvironment(
  saved: TrainerCheckpoint,
  model: BaseModel,
  policies: PoliciesResponse,
): void {
  if (saved.state.baseModel !== model.reference.sha256) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `the saved state belongs to base model ${saved.state.baseModel.slice(0, 12)}, not to ${model.reference.sha256.slice(0, 12)}; use another --state folder or --no-resume`,
    );
  }
  const known = new Set(policies.policies.map(({ version }) => version));
  if (!known.has(saved.state.stableVersion)) {
    throw new WaggleError(
      "POLICY_VERSION_UNKNOWN",
      `the edge does not have version ${saved.state.stableVersion} of the saved state (it has ${[...known].join(", ") || "no versions"}); if the edge was emptied, start with --no-resume`,
    );
  }
}
