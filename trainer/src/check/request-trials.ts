/**
 * Makes a group of a visitor's request: the stable version tries the recorded request several times, and a judge ranks the
 * trials. Nothing of the visitor's page runs again; the record answers calls.
 */
import {
  derivedSeed,
  type GrammarCompiler,
  hashText,
  type LeasedTrajectory,
  type Trajectory,
} from "@waggle/protocol";
import { stalenessOf, type TrainerState } from "../checkpoint/trainer-state.ts";
import type { TrialJudge } from "../judge/trial-judge.ts";
import { REQUEST_TRIALS } from "../judge/prompts/request-trials.ts";
import { recordText } from "../judge/record-text.ts";
import type { AdapterCache } from "../model/adapter-cache.ts";
import { expandGrammars } from "./grammar-expansion.ts";
import { learnableTrajectory, type LearnableTrajectory } from "./learnable-group.ts";
import { type TrialOptions, trialAt, promptOf } from "./recorded-trial.ts";

/** What trying requests again has cost and given, since the trainer started. */
type TrialCounts = {
  /** Requests that were tried again. */
  readonly requests: number;
  readonly trials: number;
  /** Trials that ended at a call that the record does not answer. */
  readonly ended: number;
  /** Requests whose trials got rewards. */
  readonly ranked: number;
  /** Requests without rewards, because votes contradict each other or cannot be read. */
  readonly abstained: number;
  /** Requests for which no reply of the judge came. */
  readonly failed: number;
};

/** The group of one request, or why there is none. */
type TriedRequest =
  | { readonly trials: readonly LearnableTrajectory[]; readonly reason?: undefined }
  | { readonly trials: null; readonly reason: string };

export type RequestTrials = (
  leased: LeasedTrajectory,
  state: TrainerState,
) => Promise<TriedRequest>;

export type RequestTrialsOptions = TrialOptions & {
  readonly adapterCache: Pick<AdapterCache, "get">;
  readonly judge: TrialJudge;
  /** Trials at each request, at least 2. */
  readonly trials: number;
  readonly grammars: GrammarCompiler | null;
  readonly seed: number;
  /** Called after each request, with the counts so far. */
  readonly onTried: (counts: TrialCounts) => void;
};

const NOTHING: TrialCounts = {
  requests: 0,
  trials: 0,
  ended: 0,
  ranked: 0,
  abstained: 0,
  failed: 0,
};

export function createRequestTrials(options: RequestTrialsOptions): RequestTrials {
  const { policy, format, judge, onTried } = options;
  let counts = NOTHING;
  const count = (more: Partial<TrialCounts>): void => {
    const grown = (name: keyof TrialCounts): number => counts[name] + (more[name] ?? 0);
    counts = {
      requests: grown("requests"),
      trials: grown("trials"),
      ended: grown("ended"),
      ranked: grown("ranked"),
      abstained: grown("abstained"),
      failed: grown("failed"),
    };
  };

  return async ({ digest, trajectory }, state) => {
    const given = promptOf(trajectory);
    if (given === null) return { trials: null, reason: "no-request" };
    await useStable(options, state);
    const seed = derivedSeed(options.seed, hashText(digest), state.step);
    const records: Trajectory[] = [];
    for (let i = 0; i < options.trials; i += 1) {
      const { record, hasLeft } = await trialAt(trajectory, given, derivedSeed(seed, i), options);
      if (!hasLeft && record.turns.length > 0) records.push(record);
    }
    const ended = options.trials - records.length;
    count({ requests: 1, trials: options.trials, ended });
    try {
      if (records.length < 2) return { trials: null, reason: "record-without-answers" };
      const { request } = recordText(trajectory, format);
      const trials = records.map((record) => recordText(record, format).transcript);
      const rewards = await judge({ request, trials, seed });
      if (rewards === "abstained" || rewards === "failed") {
        count({ [rewards]: 1 });
        return { trials: null, reason: `judge-${rewards}` };
      }
      count({ ranked: 1 });
      const staleness = stalenessOf(state, state.stableVersion);
      const learnable: LearnableTrajectory[] = [];
      for (const [i, record] of records.entries()) {
        const expanded = await expandGrammars(record, options.grammars, policy.vocabularySize);
        if (expanded === null) continue;
        const text = trials[i] ?? "";
        const verdict = verdictOf(rewards[i] ?? 0, request, text);
        const one = learnableTrajectory(digest, expanded, verdict, staleness);
        learnable.push({ ...one, trajectory: { ...one.trajectory, id: `${digest}/${i}` } });
      }
      return { trials: learnable };
    } finally {
      onTried(counts);
    }
  };
}

function verdictOf(reward: number, request: string, text: string) {
  return {
    reward,
    success: reward >= 0.5,
    parts: { request, text, judge: REQUEST_TRIALS.version },
    signals: { "judge:requests": 1 },
  };
}

async function useStable(
  { policy, adapterCache }: RequestTrialsOptions,
  { stableVersion, versions }: TrainerState,
): Promise<void> {
  if (policy.currentVersion === stableVersion) return;
  const { adapter } = versions.find(({ version }) => version === stableVersion) ?? {};
  await policy.setAdapter(stableVersion, adapter ? await adapterCache.get(adapter) : null);
}
