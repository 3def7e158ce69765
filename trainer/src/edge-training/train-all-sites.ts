/**
 * Trains every enabled site of an edge in one process. The list is read again while it runs: a new site is trained, and
 * one that is disabled is stopped. A site that this trainer cannot train is reported and skipped.
 */
import { type EnvironmentSpec, findEnvironment } from "@waggle/environments";
import { type SiteToTrain, WaggleError } from "@waggle/protocol";
import { abortableSleep } from "../edge/abortable-sleep.ts";
import type { BaseModel } from "../model/base-model.ts";
import type { Reporter } from "../metrics/reporter.ts";
import type { EdgeRecipe } from "../recipes/edge-recipe.ts";
import { fairTurns } from "./fair-turns.ts";
import { type SiteTraining, trainSite } from "./train-sites.ts";

/** How the sites of an edge are found and trained. */
export type AllSites = {
  readonly list: () => Promise<readonly SiteToTrain[]>;
  /** Called when a site is about to be trained. */
  readonly trainingOf: (site: string) => SiteTraining;
  readonly reporterOf: (site: string) => Reporter;
  /** About the list itself. */
  readonly report: Reporter;
  /** Environments of the user; the built-in ones are known too. */
  readonly environments: readonly EnvironmentSpec[];
  /** Time between two reads of the list. */
  readonly listMs?: number;
  /** Time after which a site that failed is tried again. */
  readonly retryMs?: number;
};

/** A site whose training has begun. */
type Begun = {
  readonly stop: AbortController;
  /** What it waits for: its end, a retry after a failure, or nothing more. */
  state: "running" | "failed" | "done";
  failedAt: number;
  ended: Promise<void>;
};

/**
 * Trains until the signal, or until every site that it can train has reached a limit.
 *
 * @throws WaggleError if the edge refuses the list
 */
export async function trainAllSites(
  model: BaseModel,
  recipe: EdgeRecipe,
  all: AllSites,
  signal: AbortSignal,
): Promise<void> {
  const { list, trainingOf, reporterOf, report, environments } = all;
  const { listMs = 30_000, retryMs = 600_000 } = all;
  const newTurn = fairTurns(() => performance.now());
  const sites = new Map<string, Begun>();
  /** Why a site is skipped, as it was last reported. */
  const skipped = new Map<string, string | null>();

  function begin(id: string): void {
    const stop = new AbortController();
    const site: Begun = { stop, state: "running", failedAt: 0, ended: Promise.resolve() };
    const either = AbortSignal.any([signal, stop.signal]);
    const training = trainingOf(id);
    site.ended = trainSite(model, recipe, training, newTurn(), either).then(
      () => void (site.state = "done"),
      (error: unknown) => {
        site.state = "failed";
        site.failedAt = performance.now();
        training.report.failure(error);
      },
    );
    sites.set(id, site);
  }

  async function update(listed: readonly SiteToTrain[]): Promise<void> {
    for (const [id, { stop, ended }] of sites) {
      if (listed.some((site) => site.id === id)) continue;
      stop.abort();
      await ended;
      sites.delete(id);
      reporterOf(id).note("removed", { because: "the edge no longer serves this site" });
    }
    // A site that returns is reported again.
    for (const id of skipped.keys()) {
      if (!listed.some((site) => site.id === id)) skipped.delete(id);
    }
    for (const site of listed) {
      const { id } = site;
      const begun = sites.get(id);
      const isDue = begun?.state === "failed" && performance.now() - begun.failedAt >= retryMs;
      if (begun !== undefined && !isDue) continue;
      const because = refusalOf(site, model, environments);
      if (because === null) begin(id);
      else if (skipped.get(id) !== because) reporterOf(id).note("skipped", { because });
      skipped.set(id, because);
    }
  }

  /** Whether something was trained, and nothing is left to do. */
  const isDone = (): boolean =>
    sites.size > 0 && [...sites.values()].every(({ state }) => state === "done");

  try {
    while (!signal.aborted) {
      try {
        await update(await list());
        if (isDone()) return;
      } catch (error) {
        if (!WaggleError.is(error) || !error.retryable) throw error;
        report.failure(error);
      }
      const running = [...sites.values()].filter(({ state }) => state === "running");
      const woken = new AbortController();
      const ends = Promise.all(running.map(({ ended }) => ended));
      if (running.length > 0) void ends.then(() => woken.abort());
      await abortableSleep(listMs, AbortSignal.any([signal, woken.signal]));
    }
  } finally {
    for (const { stop } of sites.values()) stop.abort();
    await Promise.all([...sites.values()].map(({ ended }) => ended));
  }
}

/** Why this trainer cannot train the site; `null` if it can. */
function refusalOf(
  { environment, baseModel }: SiteToTrain,
  model: BaseModel,
  environments: readonly EnvironmentSpec[],
): string | null {
  if (environment === null) return "the site assigns no tasks; set its taskEnvironment";
  if (findEnvironment(environment, environments) === undefined) {
    return `the site's tasks are of the environment ${environment}, which this trainer does not have; name it with --env`;
  }
  const { sha256 } = model.reference;
  if (baseModel === null || baseModel === sha256) return null;
  return `the site has the base model ${baseModel.slice(0, 8)}, and this trainer ${sha256.slice(0, 8)}; start a trainer with --site and --model for it`;
}
