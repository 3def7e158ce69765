/** Parts of learning by cases: the value of reading a case, and which cases are stored. */
import { option, definePart } from "../composition/part-options.ts";
import type { RewardedGroup } from "../composition/part.ts";
import type { Credit, CreditPart, WritingPart } from "../composition/writing.ts";
import { creditCase, forgetCases, writeCase } from "../states/case-memory.ts";
import { caseFeatures, caseLoss, logChanceGradient, movedPolicy } from "../states/case-policy.ts";
import type { CaseStore } from "../states/case-store.ts";
import { textOf } from "./rollout-text.ts";

/** Maximum length of a stored action in characters. */
const ACTION_CHARACTERS = 600;

/**
 * `td`: the target for a case's value is the reward of the rollout that read it. A rollout reads only once, so
 * there is no next value (the paper makes the same reduction).
 */
export function caseValue(): CreditPart<"cases"> {
  return {
    slot: "advantage",
    part: "td",
    needs: ["cases"],
    credit: (groups) =>
      groups.flatMap(({ trajectories }) =>
        trajectories.flatMap(({ trajectory: { read }, reward }): Credit[] => {
          const id = read?.ids["cases"]?.[0];
          return read === null || id === undefined
            ? []
            : [{ kind: "case", id, situation: read.situation, target: reward.total }];
        }),
      ),
  };
}

type MemoryWriteOptions = {
  /** Maximum number of cases; the least valuable are dropped. Default 256. */
  readonly capacity?: number;
  /** Learning rate of the case policy. Default 0.1. */
  readonly rate?: number;
  /** Learning rate of each case's value. Default 0.2. */
  readonly valueRate?: number;
  /** The stage whose values are updated. */
  readonly stage?: string;
  /** `soft-q` fits Q values to targets; `policy-gradient` updates the probabilities directly. */
  readonly learns?: CaseLearning;
};

type CaseLearning = "soft-q" | "policy-gradient";

const CASE_LEARNING: readonly CaseLearning[] = ["soft-q", "policy-gradient"];

/** `mem-write`: updates the case policy from credits, then stores every rollout as a case. */
export function memoryWrite({ stage, ...options }: MemoryWriteOptions = {}): WritingPart<"cases"> {
  return definePart(
    {
      capacity: option(options.capacity, 256),
      rate: option(options.rate, 0.1),
      valueRate: option(options.valueRate, 0.2),
      learns: option(options.learns, "soft-q", CASE_LEARNING),
    },
    (given) => writingCases({ ...given, stage }),
  );
}

function writingCases({
  capacity,
  rate,
  valueRate,
  stage,
  learns,
}: Omit<Required<MemoryWriteOptions>, "stage"> & {
  readonly stage: string | undefined;
}): WritingPart<"cases"> {
  return {
    slot: "loss",
    part: "mem-write",
    needs: ["cases"],
    asks: false,
    write: (groups, credits, context) => {
      let { memory, policy } = context.state["cases"] as CaseStore;
      const ofCases = credits.filter((credit) => credit.kind === "case");
      const baseline =
        ofCases.reduce((sum, { target }) => sum + target, 0) / Math.max(1, ofCases.length);
      for (const { id, situation, target } of ofCases) {
        const { cases } = memory;
        const chosen = cases.findIndex((entry) => entry.id === id);
        const read = cases[chosen];
        if (read === undefined) continue;
        const gradient =
          learns === "soft-q"
            ? caseLoss(policy, caseFeatures(read, situation, stage), target).gradient
            : logChanceGradient(
                policy,
                cases.map((entry) => caseFeatures(entry, situation, stage)),
                chosen,
              ).map((value) => (baseline - target) * value);
        policy = movedPolicy(policy, gradient, rate);
        memory = creditCase(memory, id, target, {
          rate: valueRate,
          ...(stage === undefined ? {} : { stage }),
        });
      }
      const rollouts = groups.flatMap(({ trajectories }: RewardedGroup) => trajectories);
      for (const { trajectory, reward } of rollouts) {
        const { request, transcript } = textOf(trajectory, context);
        const situation = trajectory.read?.situation ?? request;
        const action = transcript.slice(0, ACTION_CHARACTERS);
        const isKnown = memory.cases.some(
          (entry) => entry.situation === situation && entry.action === action,
        );
        if (!isKnown) memory = writeCase(memory, { situation, action, reward: reward.total });
      }
      memory = forgetCases(memory, capacity);
      return { state: { cases: { memory, policy } }, changes: rollouts.length };
    },
  };
}
