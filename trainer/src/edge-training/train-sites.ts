/** Trains the sites of an edge in one process: each has its own session and state, and they take turns to compute. */
import type { BaseModel } from "../model/base-model.ts";
import type { EdgeClient } from "../edge/edge-client.ts";
import type { EdgeRecipe } from "../recipes/edge-recipe.ts";
import type { Reporter } from "../metrics/reporter.ts";
import { fairTurns, type Turn } from "./fair-turns.ts";
import type { TrainingSummary } from "./training-parts.ts";
import { trainFromEdge } from "./training-session.ts";
import type { TrainingSessionOptions } from "./training-session-options.ts";

/** A site and how it is trained. */
export type SiteTraining = {
  readonly edge: EdgeClient;
  readonly options: TrainingSessionOptions;
  readonly report: Reporter;
};

/**
 * Trains every site until it stops. A site that fails does not stop the others.
 * @returns the summaries in the order of `sites`
 * @throws the error of the first failed site, once all have ended
 */
export async function trainSites(
  model: BaseModel,
  recipe: EdgeRecipe,
  sites: readonly SiteTraining[],
  signal: AbortSignal,
): Promise<TrainingSummary[]> {
  const newTurn = fairTurns(() => performance.now());
  const ended = await Promise.allSettled(
    sites.map(async (site) => {
      try {
        return await trainSite(model, recipe, site, newTurn(), signal);
      } catch (error) {
        if (sites.length > 1) site.report.failure(error);
        throw error;
      }
    }),
  );
  return ended.map((one) => {
    if (one.status === "rejected") throw one.reason;
    return one.value;
  });
}

/** Trains one site until it stops. */
export async function trainSite(
  model: BaseModel,
  recipe: EdgeRecipe,
  { edge, options, report }: SiteTraining,
  turn: Turn,
  signal: AbortSignal,
): Promise<TrainingSummary> {
  const summary = await trainFromEdge(model, edge, recipe, { ...options, turn }, report, signal);
  const { stoppedBy, state, twice } = summary;
  const { step, publications, promotions, stableVersion } = state;
  report.note("stopped", { stoppedBy, step, publications, promotions, stableVersion, twice });
  return summary;
}
