/**
 * Trains for some steps on what honest and hostile visitors send, with the trainer's own check, redrawing, bounds on
 * influence and learning step, and with the edge's reputations. Only the way from page to trainer is left out.
 */
import { randomUUID } from "node:crypto";
import { constantRate } from "@waggle/learning";
import {
  derivedSeed,
  type LeasedGroup,
  type LeasedTrajectory,
  mulberry32,
  trajectoryDigest,
} from "@waggle/protocol";
import type { AdaptivePolicy } from "@waggle/runtime/node";
import { createFeedbackCheck } from "../../../trainer/src/check/feedback-check.ts";
import { judgeLease, withSignal } from "../../../trainer/src/check/lease-judgment.ts";
import { createReplay } from "../../../trainer/src/check/replay.ts";
import {
  createTrajectoryChecker,
  LOG_PROB_BAND,
  type TrajectoryChecker,
} from "../../../trainer/src/check/trajectory-check.ts";
import { type ComingStep, waitingStep } from "../../../trainer/src/check/waiting-step.ts";
import type { StepInfluence } from "../../../trainer/src/checkpoint/step-influence.ts";
import { initialState, type TrainerState } from "../../../trainer/src/checkpoint/trainer-state.ts";
import { grammarsOf } from "../../../trainer/src/model/model-grammars.ts";
import { openEngine, openPolicy } from "../../../trainer/src/model/open-model.ts";
import { type EdgeRecipe, edgeRecipeNamed } from "../../../trainer/src/recipes/edge-recipe.ts";
import { finalOutcome } from "../../../trainer/src/update/final-outcome.ts";
import { learningStep } from "../../../trainer/src/update/learning-step.ts";
import { nextInfluence } from "../../../trainer/src/update/sender-influence.ts";
import type { AttackedSite, Measured } from "./attacked-site.ts";
import { type Attack, honestAttempt } from "./attacks.ts";
import { asking, population, type Visitor } from "./population.ts";
import { ReputationLedger } from "./reputation-ledger.ts";

/** A defense that a control switches off. `caps`: those on a visitor and on a network together. */
export type Defense = "redrawing" | "reputation" | "caps" | "network cap";

export type Hostility = {
  readonly attack: Attack;
  /** Share of the people who are hostile; 0 = all honest. */
  readonly share: number;
  /** The defense that is off; `null` = all are on. */
  readonly without: Defense | null;
};

const SHAPE = { rank: 8, alpha: 16 };
const GROUP_SIZE = 6;
/** Own requests of an honest visitor in a step. */
const REQUESTS = 2;
/** The default of `waggle train-edge`. */
const SHARE = 0.1;
const AT = "2026-01-01T00:00:00.000Z";

/** @returns what the policy does afterwards. */
export async function learnAmong(
  site: AttackedSite,
  seed: number,
  { attack, share, without }: Hostility,
): Promise<Measured> {
  const recipe = recipeOf(site, attack);
  const engine = await openEngine(site.base, "cpu", { ...SHAPE, seed }, { threads: 1 });
  const policy = await openPolicy(site.base, 1);
  const ledger = new ReputationLedger();
  const checker = checkerOf(site, policy, recipe, without);
  const visitors = population(share, attack);
  const random = mulberry32(derivedSeed(seed, 1));
  const { isOwn = false } = attack;
  const senders = new Map<string, Visitor>();
  let sent = 0;

  async function group(visitorsOfGroup: readonly Visitor[], number: number): Promise<LeasedGroup> {
    const task = site.task(seed, number);
    const trajectories: LeasedTrajectory[] = [];
    for (const visitor of visitorsOfGroup) {
      const attempt = visitor.isHostile ? attack.attempt : honestAttempt;
      sent += 1;
      const answer = await attempt(site, policy, { task, seed: derivedSeed(seed, 1000 + sent) });
      if (answer === null) {
        ledger.leaveUnanswered(visitor.visitorId);
        continue;
      }
      const trajectory = { ...answer.record, id: randomUUID(), ...(isOwn ? { task: null } : {}) };
      const digest = await trajectoryDigest(trajectory);
      senders.set(digest, visitor);
      trajectories.push({
        digest,
        visitorId: visitor.visitorId,
        network: visitor.network,
        reputation: without === "reputation" ? 1 : ledger.weightOf(visitor),
        receivedAt: AT,
        trajectory,
        feedback: [
          {
            id: randomUUID(),
            trajectoryId: trajectory.id,
            kind: answer.isLiked ? "thumb-up" : "thumb-down",
            at: AT,
          },
        ],
      });
    }
    const size = visitorsOfGroup.length;
    return { groupId: randomUUID(), task: isOwn ? null : task, size, trajectories };
  }

  async function groupsOf(step: number): Promise<LeasedGroup[]> {
    const members = isOwn
      ? visitors.flatMap((visitor) =>
          Array.from({ length: REQUESTS * visitor.activity }, () => [visitor]),
        )
      : Array.from({ length: site.groupsPerStep }, () => asking(visitors, GROUP_SIZE, random));
    const groups: LeasedGroup[] = [];
    for (const [i, one] of members.entries()) {
      groups.push(await group(one, step * members.length + i));
    }
    return groups.filter(({ trajectories }) => trajectories.length > 0);
  }

  let earlier: readonly StepInfluence[] = [];
  let kept: ComingStep["state"];
  try {
    for (let step = 0; step < site.steps; step += 1) {
      const coming = { step, seed, band: LOG_PROB_BAND.max, state: kept };
      const lease = { leaseId: "l", fencingToken: 1, groups: await groupsOf(step) };
      const state = stateAt(site, recipe, policy.currentVersion);
      const leased = await judgeLease(lease, recipe, checker, state, coming, async () => {});
      const waiting = waitingStep(recipe, leased.groups, coming);
      const judged = withSignal(leased, waiting);
      const before = await engine.save();
      const learned = await learningStep(engine, recipe, waiting, {
        ...coming,
        microbatchTokens: 4096,
        shuffleAdvantages: null,
        shares: {
          visitor: without === "caps" ? 1 : SHARE,
          network: without === "caps" || without === "network cap" ? 1 : SHARE,
          siteKey: 1,
        },
        earlier,
        present: judged.present,
      });
      const isUndone = learned.hasFewSenders === true;
      const result = isUndone ? "few-senders" : learned;
      for (const outcome of judged.outcomes) {
        const sender = senders.get(outcome.digest);
        if (sender !== undefined) ledger.judge(sender, finalOutcome(outcome, result, step + 1));
      }
      if (isUndone) {
        await engine.load(before);
        continue;
      }
      earlier = nextInfluence(earlier, learned.influence);
      kept = { ...kept, ...learned.state };
      await policy.setAdapter(step + 1, { ...SHAPE, tensors: await engine.parameters() });
    }
    return await site.measure(policy, engine);
  } finally {
    ledger.close();
    await engine.dispose();
    await policy.dispose();
  }
}

function recipeOf({ learningRate }: AttackedSite, { isOwn }: Attack): EdgeRecipe {
  return edgeRecipeNamed(isOwn === true ? "thumbs-reinforce" : "dr-grpo-tis", {
    learningRate: constantRate(learningRate),
  });
}

function checkerOf(
  { base, environment }: AttackedSite,
  policy: AdaptivePolicy,
  { feedback }: EdgeRecipe,
  without: Defense | null,
): TrajectoryChecker {
  const { contextLength, vocabularySize } = policy;
  const { format } = base;
  return createTrajectoryChecker({
    policy,
    adapterCache: { get: () => Promise.reject(new Error("only the newest version is claimed")) },
    replay: createReplay({ format, contextLength, vocabularySize, environments: [environment] }),
    ...(feedback === null ? {} : { feedback: createFeedbackCheck(feedback, format, environment) }),
    ...(without === "redrawing" ? { drawBand: { gap: Infinity, mismatches: Infinity } } : {}),
    grammars: grammarsOf(base, vocabularySize),
    maxStaleness: 1,
  });
}

function stateAt({ base }: AttackedSite, { name }: EdgeRecipe, version: number): TrainerState {
  return {
    ...initialState({ baseModel: base.reference.sha256, recipe: name, seed: 1 }),
    versions: [{ version, adapter: null, isRolledBack: false }],
    stableVersion: version,
  };
}
