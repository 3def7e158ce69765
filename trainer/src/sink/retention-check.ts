/** A candidate's results on the retention set, and whether it may be promoted with them. */
import { retentionOf, retentionRefusal, type RetentionVerdicts } from "@waggle/evaluation";
import type { EnvironmentSpec } from "@waggle/environments";
import type { Adapter } from "@waggle/model";
import type {
  GuidanceReference,
  PolicyVersionId,
  PromotionGate,
  RetentionResult,
} from "@waggle/protocol";
import type { TrainerState } from "../checkpoint/trainer-state.ts";
import type { VersionedParts } from "../evaluation/frozen-evaluation.ts";
import type { FrozenTasks } from "../evaluation/frozen-tasks.ts";
import {
  playRetention,
  RETENTION_TASKS,
  retentionKinds,
  retentionName,
} from "../evaluation/retention.ts";

/** A retention set of a publication. */
export type RetentionPlayer = {
  /** Names the set with this many tasks. */
  readonly name: (tasks: number) => string;
  /** `[tasks]` */
  readonly kinds: (tasks: number) => readonly string[];
  readonly play: (
    version: PolicyVersionId,
    adapter: Adapter | null,
    tasks: number,
    signal: AbortSignal,
    guidance: GuidanceReference | undefined,
  ) => Promise<RetentionVerdicts>;
};

/**
 * The retention set of an environment; `undefined` if it has none.
 *
 * @param partsOf - what rollouts with this guidance are run with.
 */
export function retentionPlayer(
  practiced: EnvironmentSpec | undefined,
  {
    seed,
    turnTokens,
    constrainToolCalls,
  }: Pick<FrozenTasks, "seed" | "turnTokens" | "constrainToolCalls">,
  partsOf: (guidance: GuidanceReference | undefined) => Promise<VersionedParts>,
): RetentionPlayer | undefined {
  const spec = practiced?.retention;
  if (spec === undefined) return undefined;
  const set = (count: number) => ({ spec, count, seed, turnTokens, constrainToolCalls });
  return {
    name: (tasks) => retentionName(set(tasks)),
    kinds: (tasks) => retentionKinds(set(tasks)),
    play: async (version, adapter, tasks, signal, guidance) =>
      playRetention(await partsOf(guidance), set(tasks), version, adapter, signal),
  };
}

/** Results of the base model, which every candidate is compared with. */
type Evaluations = TrainerState["evaluations"];

/** What the retention set says about a candidate. */
export type RetentionCheck = {
  /** Absent: there is no retention set. */
  readonly retention?: RetentionResult;
  /** Why it may not be promoted; `null` if it may. */
  readonly refusal: string | null;
  /** The base's results, to be kept. */
  readonly evaluations: Evaluations;
};

/** The base model's version, the same for the life of a site. */
const BASE: PolicyVersionId = 0;

/**
 * Plays the set with the candidate, and with the base if that was not done before.
 *
 * @param player - absent: there is no set, and only a gate without one lets the candidate pass.
 */
export async function checkRetention(
  player: RetentionPlayer | undefined,
  known: Evaluations,
  candidate: {
    readonly version: PolicyVersionId;
    readonly adapter: Adapter;
    readonly guidance: GuidanceReference | undefined;
  },
  gate: PromotionGate,
  signal: AbortSignal,
): Promise<RetentionCheck> {
  if (player === undefined) {
    return { refusal: retentionRefusal(undefined, gate), evaluations: {} };
  }
  const tasks = gate.retentionTasks || RETENTION_TASKS;
  const name = player.name(tasks);
  const base = verdictsIn(known, name) ?? (await player.play(BASE, null, tasks, signal, undefined));
  const { version, adapter, guidance } = candidate;
  const played = await player.play(version, adapter, tasks, signal, guidance);
  const counts = retentionOf(player.kinds(tasks), base, played);
  return {
    retention: { ...counts, kinds: [...counts.kinds], taskSet: name },
    refusal: retentionRefusal(counts, gate),
    evaluations: asEvaluations(base, name),
  };
}

const PREFIX = "retention/";

/** The base's results of an earlier check, for a check that is not made. */
export function keptRetention(known: Evaluations): Evaluations {
  return Object.fromEntries(Object.entries(known).filter(([key]) => key.startsWith(PREFIX)));
}

function asEvaluations({ successes, readable }: RetentionVerdicts, name: string): Evaluations {
  return {
    [`${PREFIX}${name}`]: successes.map((success) => success === true),
    [`${PREFIX}${name}/judged`]: successes.map((success) => success !== null),
    [`${PREFIX}${name}/readable`]: readable,
  };
}

function verdictsIn(known: Evaluations, name: string): RetentionVerdicts | null {
  const successes = known[`${PREFIX}${name}`];
  const judged = known[`${PREFIX}${name}/judged`];
  const readable = known[`${PREFIX}${name}/readable`];
  if (successes === undefined || judged === undefined || readable === undefined) return null;
  return { successes: successes.map((success, i) => (judged[i] ? success : null)), readable };
}
