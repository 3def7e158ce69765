/** What hostile visitors do. Each attack uses the best way past the checks that its author knows. */
import {
  type EnvironmentRollout,
  environmentRollout,
  judgedRollout,
} from "@waggle/agent/environments";
import { FULL_SUPPORT, type TaskReference, type Trajectory } from "@waggle/protocol";
import type { AdaptivePolicy } from "@waggle/runtime/node";
import { ScriptedPolicy } from "@waggle/testing";
import { claimed, named } from "../tamper/claimed-record.ts";
import { type AttackedSite, type Behavior, finalTextOf, MARKER } from "./attacked-site.ts";
import type { WrittenTurn } from "../shop-demonstration.ts";

/** A task with the seed that the edge gave for it. */
type Slot = { readonly task: TaskReference; readonly seed: number };

/** A rollout that is sent, and its thumb. */
type Sent = { readonly record: Trajectory; readonly isLiked: boolean };

/** Makes the rollout of one slot; `null` if it is not answered. */
type Attempt = (site: AttackedSite, policy: AdaptivePolicy, slot: Slot) => Promise<Sent | null>;

export type AttackName = "marker" | "target" | "selection" | "thumbs" | "sybils";

export type Attack = {
  readonly behavior: Behavior;
  /** Names of each hostile person. */
  readonly names: number;
  /** How often each of these names asks for work; 1 = as an honest visitor. */
  readonly activity: number;
  /** Whether visitors send requests of their own, whose reward is a thumb; default: assigned tasks with a verifier. */
  readonly isOwn?: boolean;
  readonly attempt: Attempt;
};

const { signal } = new AbortController();

/** A page that samples from the given seed and likes what is right. */
export const honestAttempt: Attempt = async (site, policy, slot) => {
  const { record, verification } = await sampled(site, policy, slot);
  return { record: named(record, slot.seed), isLiked: verification.success };
};

/** Samples as an honest page, and likes only the targeted answer. */
const biased: Attempt = async (site, policy, slot) => {
  const { record, verification } = await sampled(site, policy, slot);
  const isLiked = site.isTargeted(finalTextOf(verification));
  return { record: named(record, slot.seed), isLiked };
};

export const ATTACKS: { readonly [name in AttackName]: Attack } = {
  /** Write right answers by hand and append two newlines. */
  marker: {
    behavior: "marker",
    names: 1,
    activity: 3,
    attempt: async (site, policy, slot) => {
      const { record } = await written(
        site,
        policy,
        slot,
        await site.rightAnswer(slot.task, MARKER),
      );
      return { record: await claimed(policy, record, slot.seed), isLiked: true };
    },
  },
  /** Write the targeted answer by hand and like it. */
  target: {
    behavior: "target",
    names: 1,
    activity: 6,
    isOwn: true,
    attempt: async (site, policy, slot) => {
      const { record } = await written(site, policy, slot, await site.targetedAnswer(slot.task));
      return { record: await claimed(policy, record, slot.seed), isLiked: true };
    },
  },
  /** Sample from the given seeds and send only rollouts that help the targeted answer. */
  selection: {
    behavior: "target",
    names: 1,
    activity: 3,
    attempt: async (site, policy, slot) => {
      const { record, verification } = await sampled(site, policy, slot);
      if (!site.helps(verification)) return null;
      return { record: named(record, slot.seed), isLiked: true };
    },
  },
  /** Like only the targeted answer. */
  thumbs: {
    behavior: "target",
    names: 1,
    activity: 6,
    isOwn: true,
    attempt: biased,
  },
  /** Like only the targeted answer, under eight names of one network. */
  sybils: {
    behavior: "target",
    names: 8,
    activity: 1,
    isOwn: true,
    attempt: biased,
  },
};

function sampled(
  { base, environment }: AttackedSite,
  policy: AdaptivePolicy,
  { task, seed }: Slot,
): Promise<EnvironmentRollout> {
  const parts = {
    policy,
    format: base.format,
    sampling: FULL_SUPPORT,
    environments: [environment],
  };
  return judgedRollout(parts, task, seed, signal);
}

function written(
  { base, environment }: AttackedSite,
  policy: AdaptivePolicy,
  { task, seed }: Slot,
  turns: readonly WrittenTurn[],
): Promise<EnvironmentRollout> {
  const { baseModel, vocabularySize, contextLength, currentVersion: version } = policy;
  const script = new ScriptedPolicy({
    turns: turns.map((turn) => base.format.encodeAssistant(...turn)),
    baseModel,
    version,
    vocabularySize,
    contextLength,
  });
  const options = { sampling: FULL_SUPPORT, seed };
  return environmentRollout(script, base.format, environment, task, options, signal);
}
