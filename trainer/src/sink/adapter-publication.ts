/**
 * Publishes an adapter that was trained elsewhere through the stages of a trainer's publication:
 * evaluate beside the stable version, publish, promote. If other publishers change the stable version
 * meanwhile, the adapter is compared with the new one.
 */
import { randomUUID } from "node:crypto";
import type { Adapter } from "@waggle/model";
import {
  type EvaluationResult,
  type PoliciesResponse,
  type PolicyVersion,
  type PolicyVersionId,
  WaggleError,
} from "@waggle/protocol";
import type { TrainerCheckpoint } from "../checkpoint/trainer-checkpoint.ts";
import { initialState, newPublication } from "../checkpoint/trainer-state.ts";
import { adoptedState, withPolicies } from "../edge/edge-following.ts";
import type { PromotionDecision } from "../metrics/reporter.ts";
import { advancePublication, postponePublication, type PublicationParts } from "./publication.ts";

/** What became of the adapter at the edge. */
export type AdapterResult = {
  /**
   * `known`: the edge had it before, and nothing was published. `passed`: only of a dry run. `releasing`: visitors decide
   * about it.
   */
  readonly outcome: "promoted" | "releasing" | "passed" | "refused" | "undecided" | "known";
  /** Its version at the edge; `null` if it was not published. */
  readonly version: PolicyVersionId | null;
  /** The version's status; `null` if it was not published. */
  readonly status: PolicyVersion["status"] | null;
  readonly evaluation: EvaluationResult | null;
  /** Why it was not promoted; empty for a promotion. */
  readonly reason: string;
};

type Parts = Omit<PublicationParts, "engine" | "adapterShape">;

/** Maximum tries while other publishers change the edge's policies. */
const MAX_TRIES = 10;

/**
 * @param options.isDryRun - evaluates and changes nothing at the edge
 * @param signal - stops the evaluation; after it, the publication is completed
 * @throws WaggleError `FROZEN`; `RELEASE_RUNNING` during the release of another version; `INVALID_ARGUMENT` for fewer
 * tasks than the gate needs;
 *   `PUBLICATION_STALE` if other publishers are faster every time
 */
export async function publishAdapter(
  given: Parts,
  adapter: Adapter,
  options: { readonly tasks: number; readonly isDryRun: boolean },
  signal: AbortSignal,
): Promise<AdapterResult> {
  const { edge, report } = given;
  let decided: { readonly result: EvaluationResult; readonly decision: PromotionDecision } | null =
    null;
  const parts: PublicationParts = {
    ...given,
    engine: { parameters: async () => adapter.tensors, load: async () => {} },
    adapterShape: { rank: adapter.rank, alpha: adapter.alpha },
    report: {
      ...report,
      evaluated(result, decision) {
        decided = { result, decision };
        report.evaluated(result, decision);
      },
    },
  };
  const { sha256 } = await given.adapterCache.add(adapter);
  const own = new Set<PolicyVersionId>();
  let policies = await edge.policies();
  const known = versionWith(policies, sha256, own);
  if (known !== null && (options.isDryRun || !isUnfinished(known))) return knownResult(known);
  requireTasks(options.tasks, policies);
  let checkpoint = firstCheckpoint(policies, known);
  const commit = async (next: TrainerCheckpoint): Promise<void> => {
    checkpoint = next;
  };
  for (let tries = 1; ; tries += 1) {
    try {
      while (checkpoint.state.publication !== null) {
        const { stage, version, evaluation } = checkpoint.state.publication;
        if (stage === "evaluate" && !options.isDryRun) await requireOpen(edge);
        if (stage === "promote" && (await edge.policies()).release?.version === version) {
          return { outcome: "releasing", version, status: "canary", evaluation, reason: "" };
        }
        await advancePublication(parts, checkpoint, policies.gate, commit, signal);
        if (stage === "evaluate") signal.throwIfAborted();
        if (options.isDryRun) break;
      }
      return resultOf(decided, checkpoint, await edge.policies(), sha256, options.isDryRun);
    } catch (error) {
      const { publication } = checkpoint.state;
      const version = publication?.version ?? null;
      if (WaggleError.is(error, "FROZEN") && version !== null) {
        await postponePublication(parts, checkpoint, error.message, commit);
      }
      if (!WaggleError.is(error, "PUBLICATION_STALE") || tries === MAX_TRIES) throw error;
      report.note("publication-stale");
      if (version !== null) {
        await edge.rollBack(version, error.message);
        own.add(version);
      }
      policies = await edge.policies();
      const faster = versionWith(policies, sha256, own);
      if (faster !== null) return knownResult(faster);
      const { state } = checkpoint;
      const isStillCompared = version === null && policies.stable === state.stableVersion;
      checkpoint = isStillCompared
        ? { ...checkpoint, state: withPolicies(state, policies, randomUUID) }
        : firstCheckpoint(policies, null);
    }
  }
}

/** Only the parts of a state that a publication reads; nothing is trained. */
function firstCheckpoint(
  policies: PoliciesResponse,
  unfinished: PolicyVersion | null,
): TrainerCheckpoint {
  const baseModel = policies.policies[0]?.baseModel ?? "";
  const empty = initialState({ baseModel, recipe: "none", seed: 0 });
  const state = adoptedState(empty, policies);
  const fresh = newPublication(randomUUID(), policies.stable, state.step);
  const publication =
    unfinished === null
      ? fresh
      : { ...fresh, ...unfinishedStage(unfinished), adapter: unfinished.adapter };
  const nothing = { step: 0, tensors: new Map() };
  return { engine: nothing, stable: nothing, state: { ...state, publication } };
}

function unfinishedStage({ version, evaluation }: PolicyVersion) {
  return { stage: "promote", promotes: true, version, evaluation } as const;
}

/** True for a canary that passed the gate, whose publisher was killed before it promoted it. */
function isUnfinished({ status, evaluation }: PolicyVersion): boolean {
  return status === "canary" && evaluation !== null;
}

/** The stable version if it has this adapter, otherwise the newest one that has it. */
function versionWith(
  { policies }: PoliciesResponse,
  sha256: string,
  except: ReadonlySet<PolicyVersionId>,
): PolicyVersion | null {
  const all = policies.filter(
    ({ version, adapter }) => adapter?.sha256 === sha256 && !except.has(version),
  );
  return all.find(({ status }) => status === "stable") ?? all[0] ?? null;
}

function knownResult({ version, status, evaluation }: PolicyVersion): AdapterResult {
  const words = {
    stable: "is the stable version",
    canary: "is on the canary channel",
    retired: "was the stable version earlier",
    "rolled-back": "was refused or rolled back",
  };
  const reason = `the edge already has this adapter as version ${version}, which ${words[status]}`;
  return { outcome: "known", version, status, evaluation, reason };
}

function resultOf(
  decided: { readonly result: EvaluationResult; readonly decision: PromotionDecision } | null,
  { state }: TrainerCheckpoint,
  { policies }: PoliciesResponse,
  sha256: string,
  isDryRun: boolean,
): AdapterResult {
  const { verdict, reason } = decided?.decision ?? { verdict: "promote", reason: "" };
  const newest = policies.find(({ adapter }) => adapter?.sha256 === sha256);
  const isPublished = newest !== undefined && !isDryRun && verdict !== "undecided";
  const evaluation = decided?.result ?? newest?.evaluation ?? null;
  const version = isPublished ? newest.version : null;
  const status = isPublished ? newest.status : null;
  const known = { version, status, evaluation };
  if (verdict === "undecided") return { ...known, outcome: "undecided", reason };
  if (verdict === "roll-back") return { ...known, outcome: "refused", reason };
  if (isDryRun) return { ...known, outcome: "passed", reason };
  if (state.promotions > 0) return { ...known, outcome: "promoted", reason };
  return { ...known, outcome: "refused", reason: "the edge did not promote it" };
}

function requireTasks(tasks: number, { gate }: PoliciesResponse): void {
  if (tasks >= gate.minTasks) return;
  throw new WaggleError(
    "INVALID_ARGUMENT",
    `the edge's gate needs at least ${gate.minTasks} tasks, but --evaluation-tasks is ${tasks}`,
  );
}

/** Checked before the costly evaluation; later the edge itself refuses. */
async function requireOpen(edge: Parts["edge"]): Promise<void> {
  const { release } = await edge.policies();
  if (release != null) {
    throw new WaggleError(
      "RELEASE_RUNNING",
      `version ${release.version} is being released; wait until the edge has decided, or promote it or roll it back`,
    );
  }
  const { frozen } = await edge.control();
  if (frozen === null) return;
  const { by, at, reason } = frozen;
  throw new WaggleError("FROZEN", `${by} froze promotions at ${at}: ${reason}`);
}
