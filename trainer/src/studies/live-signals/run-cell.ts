/**
 * One cell of the study: people ask a policy, some say how the answers were, and a learner learns from that alone. The
 * verifier's verdict is what people know, and what the report is measured with. The learner may be a process that cannot load
 * them: it gets records with what people said, and gives back an adapter.
 */
import { environmentRollout } from "@waggle/agent/environments";
import { shareSolved } from "@waggle/evaluation";
import type { EnvironmentSpec } from "@waggle/environments";
import { shuffled } from "@waggle/learning";
import { derivedSeed, FULL_SUPPORT, type LeasedTrajectory, seededRandom } from "@waggle/protocol";
import type { AdaptivePolicy } from "@waggle/runtime/node";
import { samplingAt } from "../../evaluation/temperature.ts";
import { rollOutHeldOut } from "../../evaluation/held-out.ts";
import { successesOf } from "../../evaluation/evaluation.ts";
import type { BaseModel } from "../../model/base-model.ts";
import { inLanes } from "../../rollouts/lanes.ts";
import { type OpenLearner, SHAPE } from "./cell-learner.ts";
import { createPeople, type Reaction } from "./people.ts";
import type { SignalArm } from "./signal-arms.ts";

/** Where a cell runs. */
type CellSite = {
  readonly spec: EnvironmentSpec;
  readonly model: BaseModel;
  readonly policy: AdaptivePolicy;
  /** Opens the trainer's side, which may be another process. */
  readonly openLearner: OpenLearner;
};

type CellOptions = {
  readonly arm: SignalArm;
  /** The control: each reaction goes to the request of somebody else. */
  readonly isShuffled: boolean;
  readonly seed: number;
  /** What the base solves. */
  readonly base: Solved;
  readonly requests: number;
  readonly evaluationTasks: number;
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: { readonly requests: number; readonly steps: number }) => void;
};

/** Shares of held-out tasks solved, in [0, 1]. */
export type Solved = {
  /** At temperature 1. */
  readonly sampled: number;
  readonly greedy: number;
};

/** The result of one cell. Shares of held-out tasks solved are in [0, 1]. */
export type SignalRun = {
  readonly site: string;
  /** Of a user's environment: its file and digest. */
  readonly environmentSource?: string;
  readonly arm: string;
  readonly isShuffled: boolean;
  readonly seed: number;
  readonly requests: number;
  /** Requests that the recipe could learn from. */
  readonly answered: number;
  readonly steps: number;
  /** At temperature 1. */
  readonly base: number;
  readonly final: number;
  /** Greedily. */
  readonly greedyBase: number;
  readonly greedyFinal: number;
  readonly evaluationTasks: number;
  readonly seconds: number;
  /** Day of the run, ISO 8601. */
  readonly date: string;
};

/** Requests between two looks at a newer policy. */
const BLOCK = 32;

/** What the base of a site solves. */
export async function solvedBy(
  site: Omit<CellSite, "openLearner">,
  options: Pick<CellOptions, "evaluationTasks" | "signal">,
): Promise<Solved> {
  await site.policy.setAdapter(0, null);
  return solvedNow(site, options);
}

async function solvedNow(
  { spec, model: { format }, policy }: Omit<CellSite, "openLearner">,
  { evaluationTasks, signal }: Pick<CellOptions, "evaluationTasks" | "signal">,
): Promise<Solved> {
  const places = Array.from({ length: evaluationTasks }, (_, i) => i);
  const parts = { policy, format, spec, signal };
  const solved = async (temperature: number): Promise<number> => {
    const sampling = samplingAt(temperature);
    const rollouts = await rollOutHeldOut(parts, places, undefined, 0, "heldOut", sampling);
    return shareSolved(successesOf(rollouts));
  };
  return { sampled: await solved(1), greedy: await solved(0) };
}

export async function runCell(site: CellSite, options: CellOptions): Promise<SignalRun> {
  const { spec, model, policy } = site;
  const { arm, isShuffled, seed, base, requests, signal, onProgress = () => {} } = options;
  const startedAt = performance.now();
  const { format } = model;
  const { contextLength } = policy;
  const learner = await site.openLearner({ arm, seed, contextLength });
  try {
    await policy.setAdapter(0, null);
    const people = createPeople(spec, format, arm.gives, { seed, contextLength });
    let version = 0;
    let counts = { steps: 0, answered: 0 };
    for (let from = 0; from < requests; from += BLOCK) {
      signal.throwIfAborted();
      const asked = await inLanes(Math.min(BLOCK, requests - from), async (i) => {
        const task = people.wish(from + i);
        const sampled = { sampling: FULL_SUPPORT, seed: derivedSeed(seed, from + i) };
        const { record, verification } = await environmentRollout(
          policy,
          format,
          spec,
          task,
          sampled,
          signal,
        );
        const reaction = await people.reaction(from + i, record, verification.success);
        return { record: { ...record, task: null }, reaction };
      });
      const reactions = asked.map(({ reaction }) => reaction);
      const dealt = isShuffled ? shuffled(reactions, seededRandom(seed, from)) : reactions;
      const leased = asked.map(({ record }, i): LeasedTrajectory => {
        const { feedback, outcomes } = dealt[i] as Reaction;
        const { id, endedAt } = record;
        const own = feedback.map((one) => ({ ...one, trajectoryId: id }));
        const from = { digest: id, visitorId: id, receivedAt: endedAt, trajectory: record };
        return { ...from, feedback: own, outcomes };
      });
      const learned = await learner.take(leased);
      counts = learned.counts;
      if (learned.tensors !== null) {
        version += 1;
        await policy.setAdapter(version, { ...SHAPE, tensors: learned.tensors });
      }
      onProgress({ requests: from + asked.length, steps: counts.steps });
    }
    const final = await solvedNow(site, options);
    return {
      site: spec.name,
      ...(spec.source === undefined ? {} : { environmentSource: spec.source }),
      arm: arm.name,
      isShuffled,
      seed,
      requests,
      ...counts,
      base: base.sampled,
      final: final.sampled,
      greedyBase: base.greedy,
      greedyFinal: final.greedy,
      evaluationTasks: options.evaluationTasks,
      seconds: Math.round((performance.now() - startedAt) / 100) / 10,
      date: new Date().toISOString().slice(0, 10),
    };
  } finally {
    await learner.dispose();
  }
}
