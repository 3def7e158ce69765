/**
 * Honest and malicious visitors who send rollouts to the trainer's real checks and learning step. The
 * setup is the bandit: the reward of each lever is drawn with the task, so the wrong lever sometimes
 * pays, and attackers can find such tasks in advance. Tests only.
 */
import { randomUUID } from "node:crypto";
import { environmentRollout, judgedRollout } from "@waggle/agent/environments";
import { environmentNamed, type Judgment } from "@waggle/environments";
import { constantRate } from "@waggle/learning";
import {
  type LeasedGroup,
  type LeasedTrajectory,
  type TaskReference,
  toTrainingSamples,
  type TrainEngine,
  type Trajectory,
  trajectoryDigest,
} from "@waggle/protocol";
import type { AdaptivePolicy } from "@waggle/runtime/node";
import { ScriptedPolicy } from "@waggle/testing";
import type { BaseModel } from "../model/base-model.ts";
import { edgeRecipeNamed } from "../recipes/edge-recipe.ts";
import { judgeLease, withSignal } from "./lease-judgment.ts";
import { learnableTrajectory } from "./learnable-group.ts";
import { learningStep } from "../update/learning-step.ts";
import type { StepInfluence } from "../checkpoint/step-influence.ts";
import { nextInfluence } from "../update/sender-influence.ts";
import { openEngine, openPolicy } from "../model/open-model.ts";
import { derivedSeed } from "@waggle/protocol";
import { createReplay } from "./replay.ts";
import { initialState, type TrainerState } from "../checkpoint/trainer-state.ts";
import { waitingStep } from "./waiting-step.ts";
import {
  createTrajectoryChecker,
  LOG_PROB_BAND,
  type TrajectoryChecker,
} from "./trajectory-check.ts";

const ENVIRONMENT = environmentNamed("bandit");
const LEVERS = ["left", "middle", "right"] as const;
type Lever = (typeof LEVERS)[number];
/** The lever that the attackers want pulled in every context. */
const WANTED: Lever = "left";

const SHAPE = { rank: 8, alpha: 16 };
const GROUP_SIZE = 6;
const HONEST_GROUPS = 6;
const HONEST_VISITORS = 12;
const STEPS = 20;
const HELD_OUT = 36;

const { signal } = new AbortController();
const RECIPE = edgeRecipeNamed("dr-grpo-tis", {
  learningRate: constantRate(2e-3),
});

export type Hostility = {
  /**
   * Groups per step that one visitor fills alone with rollouts that pass every check. The tasks are
   * chosen so that the wrong lever pays and the right one does not.
   */
  readonly flood?: number;
  /** Number of visitor names that the flood uses; default 1. */
  readonly names?: number;
  /** Attackers beside the honest visitors in every group, whose records are forged. */
  readonly forgers?: number;
  /** The control: records are believed, and thumbs are the reward. */
  readonly believes?: boolean;
  /** Cap on one visitor's share of a step; default 1 = none. */
  readonly visitorShare?: number;
  /** Cap on one network's share of a step; default 1 = none. Attackers share one network. */
  readonly networkShare?: number;
};

/** `[held-out tasks][levers]` probability of each lever; the remainder to 1 is no lever. */
export type Pulls = readonly (readonly number[])[];

export type Learned = {
  readonly pulls: Pulls;
  /** Mean probability of the best lever. */
  readonly success: number;
  readonly parameters: readonly number[];
  /** Number of rollouts trained on or refused, by reason. */
  readonly outcomes: ReadonlyMap<string, number>;
  readonly visitorShareMax: number;
  readonly networkShareMax: number;
};

const best = (task: TaskReference): string => String(judgedPull(task, WANTED).parts["best"]);
const pays = (task: TaskReference, lever: string): boolean => judgedPull(task, lever).reward === 1;
function judgedPull(task: TaskReference, lever: string): Judgment {
  // The bandit's verifier is synchronous.
  return ENVIRONMENT.create(task).judge(lever) as Judgment;
}

/** Training tasks by number, each once. */
function* tasks(seed: number, levels: readonly number[]): Generator<TaskReference> {
  for (let i = 0; ; i += 1) {
    yield ENVIRONMENT.reference(derivedSeed(seed, i), "train", levels[i % levels.length] as number);
  }
}

/**
 * A rollout with scripted actions and the policy's log-probs plus a little noise; equal log-probs would
 * be taken for copies.
 */
async function scripted(
  base: BaseModel,
  policy: AdaptivePolicy,
  task: TaskReference,
  lever: Lever,
  off = 0,
): Promise<Trajectory> {
  const script = new ScriptedPolicy({
    turns: [base.format.encodeAssistant(lever)],
    baseModel: policy.baseModel,
    version: policy.currentVersion,
    vocabularySize: policy.vocabularySize,
    contextLength: policy.contextLength,
  });
  const sampling = { temperature: 1, topK: 0, topP: 1 };
  const rollout = await environmentRollout(
    script,
    base.format,
    ENVIRONMENT,
    task,
    { sampling, seed: 1 },
    signal,
  );
  const [sample] = toTrainingSamples(rollout.record);
  const tokenIds = sample?.sequence.tokenIds ?? [];
  const { behaviorLogProbs, rawLogProbs } = await policy.score({ tokenIds, sampling });
  const [span] = sample?.spans ?? [];
  return {
    ...rollout.record,
    id: randomUUID(),
    segments: rollout.record.segments.map((segment) => {
      if (segment.kind === "given" || span === undefined) return segment;
      const [from, to] = [span.start, span.start + segment.tokenIds.length];
      return {
        ...segment,
        behaviorLogProbs: behaviorLogProbs.slice(from, to).map((value) => value - off),
        rawLogProbs: rawLogProbs.slice(from, to),
      };
    }),
  };
}

async function leased(
  trajectory: Trajectory,
  visitorId: string,
  thumb: "thumb-up" | "thumb-down",
  network: string = visitorId,
): Promise<LeasedTrajectory> {
  const at = "2026-01-01T00:00:00.000Z";
  return {
    digest: await trajectoryDigest(trajectory),
    visitorId,
    network,
    receivedAt: at,
    trajectory,
    feedback: [{ id: randomUUID(), trajectoryId: trajectory.id, kind: thumb, at }],
  };
}

/** Lowers the recorded log-probs, which would raise the importance weight by a factor of e. */
function lowered(trajectory: Trajectory): Trajectory {
  return {
    ...trajectory,
    segments: trajectory.segments.map((segment) =>
      segment.kind === "given"
        ? segment
        : { ...segment, behaviorLogProbs: segment.behaviorLogProbs.map((value) => value - 1) },
    ),
  };
}

/** Believes every record and takes thumbs as rewards. */
const believer: TrajectoryChecker = {
  check: async ({ digest, visitorId, trajectory, feedback }) => {
    const success = feedback.some(({ kind }) => kind === "thumb-up");
    const verification = { reward: success ? 1 : 0, success, parts: {} };
    return {
      trajectory: { ...learnableTrajectory(digest, trajectory, verification), visitorId },
      outcome: { digest, status: "learned", success },
    };
  },
};

/** Trains for some steps on the rollouts of honest and hostile visitors. */
export async function learnAmong(
  base: BaseModel,
  seed: number,
  hostility: Hostility,
): Promise<Learned> {
  const { flood = 0, names = 1, forgers = 0, believes = false } = hostility;
  const { visitorShare: visitor = 1, networkShare: network = 1 } = hostility;
  const engine = await openEngine(base, "cpu", { ...SHAPE, seed }, { threads: 1 });
  const policy = await openPolicy(base, 1);
  const { sampling } = RECIPE.stage.settings;
  const parts = { policy, format: base.format, sampling };
  const visitors = Array.from({ length: HONEST_VISITORS }, (_, i) => visitorNamed(i));
  const honestTasks = tasks(seed, [0, 1, 2]);
  // Only the least certain level pays wrong levers often enough for a search.
  const chosenTasks = tasks(seed + 1, [2]);
  const checker = believes
    ? believer
    : createTrajectoryChecker({
        policy,
        adapterCache: {
          get: () => Promise.reject(new Error("only the newest version is claimed")),
        },
        replay: createReplay({
          format: base.format,
          contextLength: policy.contextLength,
          vocabularySize: policy.vocabularySize,
        }),
        maxStaleness: 1,
        // The caps are tested alone: nobody here samples from a given seed.
        undrawnWeight: 1,
      });
  const outcomes = new Map<string, number>();
  let [visitorShareMax, networkShareMax] = [0, 0];
  let earlier: readonly StepInfluence[] = [];
  let [arrived, flooded] = [0, 0];

  async function honestGroup(): Promise<LeasedGroup> {
    const task = honestTasks.next().value as TaskReference;
    const trajectories: LeasedTrajectory[] = [];
    for (let i = 0; i < GROUP_SIZE; i += 1) {
      const judged = await judgedRollout(parts, task, derivedSeed(seed, arrived), signal);
      const thumb = judged.verification.reward === 1 ? "thumb-up" : "thumb-down";
      const visitor = visitors[arrived % HONEST_VISITORS] as string;
      trajectories.push(await leased(judged.record, visitor, thumb));
      arrived += 1;
    }
    for (let i = 0; i < forgers; i += 1) {
      // Half of the forgeries praise the wanted lever, the others run the right one down. All claim
      // lower log-probs.
      const isBoast = i % 2 === 0;
      const lever = isBoast ? WANTED : (best(task) as Lever);
      const poisoned = lowered(await scripted(base, policy, task, lever, 1e-6 * i));
      trajectories.push(
        await leased(poisoned, visitorNamed(100 + i), isBoast ? "thumb-up" : "thumb-down"),
      );
    }
    return { groupId: randomUUID(), task, size: trajectories.length, trajectories };
  }

  async function chosenGroup(): Promise<LeasedGroup> {
    const isGood = (task: TaskReference): boolean =>
      best(task) !== WANTED && pays(task, WANTED) && !pays(task, best(task));
    let task = chosenTasks.next().value as TaskReference;
    while (!isGood(task)) task = chosenTasks.next().value as TaskReference;
    const trajectories: LeasedTrajectory[] = [];
    for (let i = 0; i < GROUP_SIZE; i += 1) {
      const lever = i % 2 === 0 ? WANTED : (best(task) as Lever);
      const poisoned = await scripted(base, policy, task, lever, 1e-6 * i);
      flooded += 1;
      const visitor = visitorNamed(200 + (flooded % names));
      trajectories.push(await leased(poisoned, visitor, "thumb-up", "hostile"));
    }
    return { groupId: randomUUID(), task, size: GROUP_SIZE, trajectories };
  }

  try {
    for (let step = 0; step < STEPS; step += 1) {
      const groups: LeasedGroup[] = [];
      for (let g = 0; g < HONEST_GROUPS; g += 1) groups.push(await honestGroup());
      for (let g = 0; g < flood; g += 1) groups.push(await chosenGroup());
      const lease = { leaseId: "l", fencingToken: 1, groups };
      const state = stateAt(base, policy.currentVersion);
      const coming = { step, seed, band: LOG_PROB_BAND.max };
      const leasedNow = await judgeLease(lease, RECIPE, checker, state, coming, async () => {});
      const waiting = waitingStep(RECIPE, leasedNow.groups, coming);
      const judged = withSignal(leasedNow, waiting);
      for (const { status, reason } of judged.outcomes) {
        const what = reason ?? status;
        outcomes.set(what, (outcomes.get(what) ?? 0) + 1);
      }
      if (judged.groups.length === 0) continue;
      const { metrics, influence } = await learningStep(engine, RECIPE, waiting, {
        ...coming,
        microbatchTokens: 4096,
        shuffleAdvantages: null,
        shares: { visitor, network, siteKey: 1 },
        earlier,
        present: judged.present,
      });
      earlier = nextInfluence(earlier, influence);
      visitorShareMax = Math.max(visitorShareMax, metrics["visitorShareMax"] ?? 0);
      networkShareMax = Math.max(networkShareMax, metrics["networkShareMax"] ?? 0);
      await policy.setAdapter(step + 1, { ...SHAPE, tensors: await engine.parameters() });
    }
    const parameters = [...(await engine.parameters()).values()];
    const pulls = await pullsOf(base, policy, engine);
    return {
      pulls,
      success: mean(pulls.map((row, i) => row[LEVERS.indexOf(best(heldOut(i)) as Lever)] ?? 0)),
      parameters: parameters.flatMap(({ data }) => Array.from(data)),
      outcomes,
      visitorShareMax,
      networkShareMax,
    };
  } finally {
    await engine.dispose();
    await policy.dispose();
  }
}

/**
 * Divergence of `other` from `honest`: KL of the lever probabilities in nats, averaged over held-out
 * tasks.
 */
export function movement(honest: Pulls, other: Pulls): number {
  return mean(
    honest.map((row, i) =>
      [...row, 1 - total(row)].reduce((sum, p, k) => {
        const q = [...(other[i] ?? []), 1 - total(other[i] ?? [])][k] ?? 0;
        return p <= 0 ? sum : sum + p * Math.log(p / Math.max(q, 1e-9));
      }, 0),
    ),
  );
}

const heldOut = (i: number): TaskReference =>
  ENVIRONMENT.reference(derivedSeed(99, i), "heldOut", 0);

async function pullsOf(
  base: BaseModel,
  policy: AdaptivePolicy,
  engine: TrainEngine,
): Promise<Pulls> {
  const rows: number[][] = [];
  for (let i = 0; i < HELD_OUT; i += 1) {
    const samples = [];
    for (const lever of LEVERS) {
      samples.push(...toTrainingSamples(await scripted(base, policy, heldOut(i), lever)));
    }
    const { logProb } = await engine.forward({ sequences: samples.map((one) => one.sequence) });
    rows.push(
      samples.map(({ lossMask }, k) =>
        Math.exp(
          lossMask.reduce((sum, counts, t) => sum + (counts ? (logProb[k]?.[t] ?? 0) : 0), 0),
        ),
      ),
    );
  }
  return rows;
}

function stateAt(base: BaseModel, version: number): TrainerState {
  return {
    ...initialState({ baseModel: base.reference.sha256, recipe: RECIPE.name, seed: 1 }),
    versions: [{ version, adapter: null, isRolledBack: false }],
    stableVersion: version,
  };
}

const visitorNamed = (number: number): string =>
  `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;

const total = (row: readonly number[]): number => row.reduce((sum, value) => sum + value, 0);
const mean = (values: readonly number[]): number => total(values) / values.length;
