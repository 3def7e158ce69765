/** Rewarded trajectories and minibatches from plain numbers, for tests that compute a part by hand. */
import type { TaskReference } from "@waggle/protocol";
import type { JudgedTrajectory } from "./judged-trajectory.ts";
import type { Minibatch, PartContext, RewardedGroup, RewardedTrajectory } from "./part.ts";

/** A turn: one given token, then the sampled tokens. */
type GivenTurn = {
  /** Number of sampled tokens. Default 1. */
  readonly tokens?: number;
  readonly state?: string;
  readonly paid?: number;
  /** False if its tool call failed. */
  readonly ok?: boolean;
  /** Names of the tools that it calls. */
  readonly calls?: readonly string[];
  /** Of each sampled token. Default 0. */
  readonly entropy?: number;
};

export type GivenTrajectory = {
  readonly reward?: number;
  readonly turns?: readonly GivenTurn[];
  readonly turnRewards?: readonly number[];
  readonly components?: { readonly [name: string]: number };
  readonly role?: string;
  readonly joint?: string;
  readonly success?: boolean;
  readonly seed?: number;
  readonly branch?: { readonly trajectory: string; readonly turn: number };
  readonly confidence?: number;
  readonly stopReason?: string;
};

/** Turns of one sample. Each has one given token (0) and its sampled tokens. */
export function rewardedOf(id: string, given: GivenTrajectory = {}): RewardedTrajectory {
  const { reward = 0, turns = [{}], success = reward >= 1, seed = 1 } = given;
  const lossMask: boolean[] = [];
  const spans: { segment: { entropies: number[] }; start: number }[] = [];
  const records = turns.map(
    ({ tokens = 1, state, paid, ok = true, calls = [], entropy = 0 }, i) => {
      lossMask.push(false);
      const start = lossMask.length;
      lossMask.push(...Array.from({ length: tokens }, () => true));
      spans.push({ segment: { entropies: Array.from({ length: tokens }, () => entropy) }, start });
      return {
        sample: 0,
        start,
        end: start + tokens,
        parseError: null,
        reward: paid ?? null,
        state: state ?? `${id}/${i}`,
        toolCalls: calls.map((name) => ({ id: "c", name, arguments: {} })),
        toolResults: calls.length > 0 || !ok ? [{ callId: "c", ok }] : [],
      };
    },
  );
  const task: TaskReference = { environment: "e", split: "train", seed };
  const { stopReason = "completed" } = given;
  const trajectory = {
    id,
    role: given.role ?? "policy",
    joint: given.joint ?? null,
    mode: null,
    read: null,
    staleness: 0,
    branch: given.branch ?? null,
    turns: records,
    record: { task, stopReason, terminated: true, truncated: false, turns: records },
    samples: [
      {
        sequence: { tokenIds: lossMask.map((_, t) => t) },
        lossMask,
        behaviorLogProbs: lossMask.map(() => -1),
        spans,
      },
    ],
    verification: { reward, success, parts: {} },
  } as unknown as JudgedTrajectory;
  const { turnRewards, components } = given;
  return {
    trajectory,
    reward: {
      total: reward,
      ...(turnRewards === undefined ? {} : { turnRewards }),
      ...(components === undefined ? {} : { components }),
    },
    lossMask: [lossMask],
    tokenWeights: [new Float64Array(lossMask.length).fill(1)],
  };
}

/** A group whose trajectories have their index as id: `0`, `1`. */
export function groupOf(given: readonly GivenTrajectory[], task = "t"): RewardedGroup {
  return {
    task,
    trajectories: given.map((one, i) => rewardedOf(`${task === "t" ? "" : task}${i}`, one)),
  };
}

export function contextOf(more: Partial<PartContext> = {}): PartContext {
  return {
    step: 0,
    steps: 1,
    random: () => 0.5,
    state: {},
    ports: {},
    signal: new AbortController().signal,
    ...more,
  };
}

/** The values of each token of a row. */
export type GivenRow = {
  readonly advantages: readonly number[];
  /** Importance ratio of the policy to the proximal policy. Default 1. */
  readonly ratios?: readonly number[];
  /** Importance ratio of the proximal to the behavior policy. Default 1. */
  readonly drifts?: readonly number[];
  /** Log-prob under the proximal policy. Default −1. */
  readonly logProbs?: readonly number[];
  readonly weights?: readonly number[];
  readonly mask?: readonly boolean[];
  readonly entropies?: readonly number[];
  readonly referenceLogProbs?: readonly number[];
  readonly rewarded?: RewardedTrajectory;
};

/** Each token has share 1, so that its derivative is not scaled. */
export function minibatchOf(rows: readonly GivenRow[], more: Partial<Minibatch> = {}): Minibatch {
  const each = <T>(of: (row: GivenRow, b: number) => T): T[] => rows.map(of);
  const ones = ({ advantages }: GivenRow): number[] => advantages.map(() => 1);
  const proximal = (row: GivenRow): readonly number[] =>
    row.logProbs ?? row.advantages.map(() => -1);
  const lossMask = each(({ advantages, mask }) => mask ?? advantages.map(() => true));
  return {
    lossMask,
    shares: each(ones),
    tokenCount: lossMask.flat().filter(Boolean).length,
    weights: each((row) => row.weights ?? ones(row)),
    advantages: each(({ advantages }) => advantages),
    proximalLogProbs: each(proximal),
    policyLogProbs: each((row) =>
      proximal(row).map((value, t) => value + Math.log(row.ratios?.[t] ?? 1)),
    ),
    behaviorLogProbs: each((row) =>
      proximal(row).map((value, t) => value - Math.log(row.drifts?.[t] ?? 1)),
    ),
    entropies: each(({ advantages, entropies }) => entropies ?? advantages.map(() => 0)),
    referenceLogProbs: each((row) => row.referenceLogProbs ?? proximal(row)),
    trajectories: each(({ rewarded }, b) => rewarded ?? rewardedOf(`${b}`)),
    samples: each(() => 0),
    pairs: [],
    ...more,
  };
}
