/**
 * Bounds how much of a step, and of the steps before it, one sender causes: a visitor, a network or a site
 * key. The measure is the gradient mass; see `gradientMasses` of `@waggle/learning`. Rollouts of a sender
 * with a poor reputation are scaled down first. `bounded-gradients.ts` does it for losses without advantages.
 */
import { createHash } from "node:crypto";
import {
  type AdvantageRows,
  gradientMasses,
  influenceFactors,
  massByName,
  planMinibatch,
  type Stage,
  scaledMasses,
} from "@waggle/learning";
import { WaggleError } from "@waggle/protocol";
import type { LearnableTrajectory, PresentSenders } from "../check/learnable-group.ts";
import { SENDER_KINDS, type StepInfluence } from "../checkpoint/step-influence.ts";
import { withAdjustedAdvantages } from "./adjusted-advantages.ts";

type Kind = (typeof SENDER_KINDS)[number];

/** Largest share of a step for one sender of each kind, in (0, 1]; 1 = no bound. */
export type InfluenceShares = { readonly [kind in Kind]: number };

export const UNBOUNDED: InfluenceShares = { visitor: 1, network: 1, siteKey: 1 };

/** Steps that the bound looks back on. */
const WINDOW_STEPS = 20;

/**
 * Networks that must take part before the bound on one acts. The visitors of a site with fewer may all be
 * in one office.
 */
export const LEAST_NETWORKS = 8;

/** The masses to keep for the next step. */
export function nextInfluence(
  earlier: readonly StepInfluence[],
  step: StepInfluence | undefined,
): readonly StepInfluence[] {
  return step === undefined ? earlier : [...earlier, step].slice(-WINDOW_STEPS);
}

export type SenderBounds = {
  readonly shares: InfluenceShares;
  /** Those whose rollouts had no signal count as senders without a mass. */
  readonly present: PresentSenders | undefined;
  /** The steps before this one, oldest first. */
  readonly earlier: readonly StepInfluence[];
};

/** What the bounds did in a step. */
export type BoundResult = {
  readonly influence: StepInfluence;
  /** Whether the bounds left nothing of a step with a signal. */
  readonly hasFewSenders: boolean;
  readonly metrics: { readonly [name: string]: number };
};

/** What the bounds make of a step. */
type SenderBound = {
  /** What the gradient of a trajectory is multiplied by, in [0, 1]; its sender's reputation is in it. */
  readonly factorOf: (id: string) => number;
  readonly result: BoundResult;
};

/** Creates the bound of a step, from the masses of its trajectories by id. */
export function senderBound(
  trajectories: readonly LearnableTrajectory[],
  { shares, present, earlier }: SenderBounds,
): (masses: ReadonlyMap<string, number>) => SenderBound {
  const names = {
    visitor: namesOf(trajectories, ({ visitorId }) => visitorId),
    network: namesOf(trajectories, ({ network }) => network),
    siteKey: namesOf(trajectories, ({ siteKey }) => siteKey),
  };
  const reputations = new Map(
    trajectories.map(({ trajectory, reputation = 1 }) => [trajectory.id, reputation] as const),
  );
  return (all) => {
    const trusted = scaledMasses(all, reputations);
    const factors = influenceFactors(
      trusted,
      SENDER_KINDS.map((kind) => ({
        names: names[kind],
        share: shares[kind],
        earlier: sumsByName(earlier.map((step) => step[kind])),
        ...(kind === "siteKey" ? {} : { present: [...(present?.[kind] ?? [])].map(hashed) }),
        ...(kind === "network" ? { least: LEAST_NETWORKS } : {}),
      })),
    );
    const masses = scaledMasses(trusted, factors);
    const shown = shareMetrics(masses, names);
    const scales = {
      influenceScaleMin: Math.min(1, ...factors.values()),
      influenceScaleMean: ratio(added(masses.values()), added(trusted.values())),
      reputationMin: Math.min(1, ...reputations.values()),
    };
    // Rollouts of this process have no sender.
    const metrics = Object.keys(shown).length === 0 ? {} : { ...shown, ...scales };
    const hasFewSenders = added(trusted.values()) > 0 && added(masses.values()) === 0;
    return {
      factorOf: (id) => (reputations.get(id) ?? 1) * (factors.get(id) ?? 1),
      result: { influence: influenceOf(masses, names), hasFewSenders, metrics },
    };
  };
}

/**
 * The stage with bounded advantages, for a stage that learns from rewards.
 *
 * @returns `result` gives the masses of the step after it was taken.
 */
export function withBoundedSenders(
  stage: Stage,
  trajectories: readonly LearnableTrajectory[],
  bounds: SenderBounds,
): { readonly stage: Stage; readonly result: () => BoundResult | undefined } {
  let result: BoundResult | undefined;
  const boundOf = senderBound(trajectories, bounds);
  const bounded = withAdjustedAdvantages(stage, (estimated, groups, outputs) => {
    if (outputs === undefined) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        "the bound on senders needs the engine's log-probs; estimate the advantages after a forward pass",
      );
    }
    const planned = planMinibatch(groups, stage.aggregation, { advantages: estimated });
    const bound = boundOf(gradientMasses(planned, outputs));
    result = bound.result;
    return scaledAdvantages(estimated, bound.factorOf);
  });
  return { stage: bounded, result: () => result };
}

type Names = { readonly [kind in Kind]: ReadonlyMap<string, string> };

function namesOf(
  trajectories: readonly LearnableTrajectory[],
  of: (trajectory: LearnableTrajectory) => string | undefined,
): Map<string, string> {
  return new Map(
    trajectories.flatMap((one) => {
      const name = of(one);
      return name === undefined ? [] : [[one.trajectory.id, hashed(name)] as const];
    }),
  );
}

/** The trainer's state keeps no id of a visitor. */
function hashed(name: string): string {
  return createHash("sha256").update(`sender ${name}`).digest("hex").slice(0, 16);
}

function sumsByName(steps: readonly { readonly [name: string]: number }[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const [name, mass] of steps.flatMap((step) => Object.entries(step))) {
    sums.set(name, (sums.get(name) ?? 0) + mass);
  }
  return sums;
}

function influenceOf(masses: ReadonlyMap<string, number>, names: Names): StepInfluence {
  const of = (kind: Kind) => Object.fromEntries(massByName(masses, names[kind]));
  return { visitor: of("visitor"), network: of("network"), siteKey: of("siteKey") };
}

/** Number of senders of each kind with a mass, and the largest share, after the bounds. */
function shareMetrics(
  masses: ReadonlyMap<string, number>,
  names: Names,
): { readonly [name: string]: number } {
  const metrics: { [name: string]: number } = {};
  for (const kind of SENDER_KINDS) {
    const held = [...massByName(masses, names[kind]).values()];
    if (added(held) === 0) continue;
    metrics[`${kind}s`] = held.length;
    metrics[`${kind}ShareMax`] = Math.max(...held) / added(held);
  }
  return metrics;
}

function scaledAdvantages(
  advantages: AdvantageRows,
  factorOf: (id: string) => number,
): AdvantageRows {
  return new Map(
    [...advantages].map(([id, rows]) => {
      const factor = factorOf(id);
      return [id, rows.map((row) => Float64Array.from(row, (value) => factor * value))];
    }),
  );
}

const added = (masses: Iterable<number>): number => [...masses].reduce((all, one) => all + one, 0);

/** The quotient; 1 if both are 0. */
function ratio(part: number, whole: number): number {
  return whole === 0 ? 1 : part / whole;
}
