/**
 * Rewards from feedback in place of a verifier: thumbs, messages, undone actions and edits of visitors, outcomes of the
 * metrics of a site, and answers of its staff.
 * Missing feedback is left out and never counts as bad. The verdict comes from recorded feedback or from simulated visitors.
 */
import {
  type LeasedOutcome,
  MESSAGE_REWARDS,
  type MessageKind,
  type SignalName,
  type Verification,
  WaggleError,
} from "@waggle/protocol";
import type { FeedbackWeights, RewardPart } from "../composition/part.ts";
import { responseWeight } from "../influence/response-weight.ts";
import { meanOf, sumOf } from "../statistics.ts";
import { actedTurns, failedTurns } from "./blamed-turns.ts";
import { rewardPart } from "./reward-part.ts";

/** Feedback on one trajectory. */
type GivenFeedback = {
  /** `null` if the visitor gave none. */
  readonly thumb: "up" | "down" | null;
  readonly outcomes: readonly LeasedOutcome[];
  /** What the message after the answer says; `null` if it says nothing. */
  readonly message: MessageKind | null;
  /** Version of the judge's prompt, if a judge read the message. Absent: rules of the page did. */
  readonly judge?: string | undefined;
  /** Whether the visitor undid what the agent did. */
  readonly isUndone: boolean;
  /** What the visitor wrote then, if the site asks for it and the message is a correction. */
  readonly correction: string | null;
  /** The whole answer as the visitor edited it. */
  readonly edit: string | null;
  /** The whole answer as the site's staff wrote it. */
  readonly staff: string | null;
  /** Which answer of a retry this is: the one that the visitor kept, or the one before it. Absent: none that makes a pair. */
  readonly retry?: "kept" | "rejected" | undefined;
  /** Turns of the trajectory; default unknown, and then no feedback is about single turns. */
  readonly turns?: Parameters<typeof failedTurns>[0];
  /** How often such requests get feedback; absent = unknown, and the trajectory has no weight for it. */
  readonly response?: Parameters<typeof responseWeight>[0] | undefined;
};

/**
 * What an outcome of a conversation counts for the request before, as a share of what it counts for the request after it.
 * Other feedback counts whole.
 */
const CONVERSATION_DISCOUNT = 0.9;

/** Reward from which a trajectory counts as a success. */
const SUCCESS_FROM = 0.5;

type Signal = {
  /** In `parts`: `thumb`, `message`, `undo`, or `outcome:` with the name of a metric and, for one turn, ` turn ` with its number. */
  readonly name: string;
  readonly signal: SignalName;
  readonly value: string | number | boolean;
  /** In [0, 1]; 1 is what the site wants. */
  readonly reward: number;
  readonly weight: number;
  /** Indexes of the turns that it is about; absent = all. */
  readonly turns?: readonly number[];
  /** In (0, 1], of an outcome of a conversation; absent = 1. */
  readonly discount?: number;
};

/**
 * The weighted mean of the signals' rewards. A metric weighs its own weight times that of outcomes. Of two values of one
 * metric, that of the site's server counts. An edited answer is what the visitor wanted, so it has the reward 1 alone. So has
 * an answer of the staff, also beside an edited one. An answer that is one of a retry's pair has the reward 1 or 0.
 *
 * If a signal is about single turns, each turn has the weighted mean of the signals that are about it. An outcome of a
 * conversation weighs less for requests before it. The trajectory then weighs less too: by what its signals lost of their weight.
 * It weighs more if such requests seldom get feedback.
 *
 * @returns the verdict, with the value of each signal in `parts`, the text of a correction as `correction`, the version of a
 *   judge's prompt as `judge`, and the share of each signal; `null` without feedback that has a weight.
 */
export function feedbackVerdict(
  given: GivenFeedback,
  weights: FeedbackWeights,
): Verification | null {
  const { thumb, outcomes, message, judge, isUndone, correction, edit, staff } = given;
  // Which requests staff answer has nothing to do with which visitors give feedback.
  if (staff !== null && (weights.staff ?? 0) > 0) {
    return { reward: 1, success: true, parts: { staff }, signals: { staff: 1 } };
  }
  const { turns = [], response } = given;
  const asked = response === undefined ? 1 : responseWeight(response);
  const weighed = response === undefined ? {} : { weight: asked };
  if (edit !== null && (weights.edit ?? 0) > 0) {
    return { reward: 1, success: true, parts: { edit }, signals: { edit: 1 }, ...weighed };
  }
  const { retry } = given;
  if (retry !== undefined && (weights.retry ?? 0) > 0) {
    const success = retry === "kept";
    const reward = toNumber(success);
    return { reward, success, parts: { retry }, signals: { "message:retry": 1 }, ...weighed };
  }
  const signals: Signal[] = [
    ...(thumb === null ? [] : [thumbSignal(thumb, weights.thumb ?? 0)]),
    ...(message === null ? [] : [messageSignal(message, judge, weights.message ?? 0, turns)]),
    ...(isUndone ? [undoSignal(weights.undo ?? 0, turns)] : []),
    ...trusted(outcomes).flatMap((outcome) => outcomeSignal(outcome, weights.outcome ?? 0)),
  ].filter(
    ({ weight, turns: about }) =>
      weight > 0 && (about?.every((turn) => turn < turns.length) ?? true),
  );
  if (signals.length === 0) return null;
  const total = sumOf(signals.map(countOf));
  const ofTurns = signals.some((one) => one.turns !== undefined)
    ? turns.map((_, turn) => {
        const about = signals.filter((one) => one.turns?.includes(turn) ?? true);
        return about.length === 0 ? null : meanReward(about);
      })
    : null;
  const reward =
    ofTurns === null ? meanReward(signals) : meanOf(ofTurns.filter((one) => one !== null));
  const hasMessage = signals.some(({ name }) => name === "message");
  const parts = {
    ...Object.fromEntries(signals.map(({ name, value }) => [name, value])),
    ...(hasMessage && correction !== null && { correction }),
    ...(hasMessage && judge !== undefined && { judge }),
  };
  const bySignal = [...Map.groupBy(signals, ({ signal }) => signal)];
  const shares = Object.fromEntries(
    bySignal.map(([name, same]) => [name, sumOf(same.map(countOf)) / total]),
  );
  const undiscounted = sumOf(signals.map(({ weight }) => weight));
  return {
    reward,
    success: reward >= SUCCESS_FROM,
    parts,
    signals: shares,
    ...(ofTurns !== null && { turns: ofTurns }),
    ...weighed,
    ...(total !== undiscounted && { weight: (asked * total) / undiscounted }),
  };
}

/** What a signal counts for this trajectory. */
function countOf({ weight, discount = 1 }: Signal): number {
  return weight * discount;
}

function meanReward(signals: readonly Signal[]): number {
  return meanOf(
    signals.map(({ reward }) => reward),
    signals.map(countOf),
  );
}

function thumbSignal(thumb: "up" | "down", weight: number): Signal {
  return { name: "thumb", signal: "thumb", value: thumb, reward: toNumber(thumb === "up"), weight };
}

function messageSignal(
  kind: MessageKind,
  judge: string | undefined,
  weight: number,
  turns: Parameters<typeof failedTurns>[0],
): Signal {
  const signal = judge === undefined ? `message:${kind}` : "judge:messages";
  // If a call failed, that is what the visitor wants done again.
  const failed = kind === "next-repeats" || kind === "retry" ? failedTurns(turns) : [];
  const about = failed.length === 0 ? {} : { turns: failed };
  return { name: "message", signal, value: kind, reward: MESSAGE_REWARDS[kind], weight, ...about };
}

function undoSignal(weight: number, turns: Parameters<typeof actedTurns>[0]): Signal {
  // Only a call that succeeded did something.
  const acted = actedTurns(turns);
  const about = acted.length === 0 ? {} : { turns: acted };
  return { name: "undo", signal: "undo", value: true, reward: 0, weight, ...about };
}

/** The outcomes without those of pages where the server reported the same metric, of the same turn if it is about one. */
function trusted(outcomes: readonly LeasedOutcome[]): readonly LeasedOutcome[] {
  const known = new Set(
    outcomes.flatMap((outcome) => (outcome.source === "server" ? [nameOf(outcome)] : [])),
  );
  return outcomes.filter((outcome) => outcome.source === "server" || !known.has(nameOf(outcome)));
}

function nameOf({ metric, turn }: LeasedOutcome): string {
  return turn === undefined ? `outcome:${metric}` : `outcome:${metric} turn ${turn}`;
}

/** No signal if the metric is declared with another type or level by now. */
function outcomeSignal(outcome: LeasedOutcome, weight: number): Signal[] {
  const { metric, value, declared, turn, place = 0 } = outcome;
  if (typeof value !== declared.type) return [];
  if ((declared.level === "turn") !== (turn !== undefined)) return [];
  const share =
    declared.type === "boolean" ? toNumber(value === true) : within(Number(value), declared.range);
  return [
    {
      name: nameOf(outcome),
      signal: `outcome:${metric}`,
      value,
      reward: declared.better === "higher" ? share : 1 - share,
      weight: weight * (declared.weight ?? 1),
      ...(turn !== undefined && { turns: [turn - 1] }),
      ...(place > 0 && { discount: CONVERSATION_DISCOUNT ** place }),
    },
  ];
}

/** Where in the range, from 0 to 1. The range may have become smaller since the value was stored. */
function within(value: number, [low, high]: readonly [number, number]): number {
  return (Math.min(high, Math.max(low, value)) - low) / (high - low);
}

function toNumber(holds: boolean): number {
  return holds ? 1 : 0;
}

/**
 * `feedback`: the reward of a verdict that rests on feedback of these kinds.
 *
 * @throws WaggleError `INVALID_ARGUMENT` for a weight that is not above 0; in use, `REWARD_UNAVAILABLE` for a trajectory
 *   without such feedback.
 */
export function feedback(weights: FeedbackWeights): RewardPart {
  for (const [kind, weight] of Object.entries(weights)) {
    if (Number.isFinite(weight) && weight > 0) continue;
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `the weight of ${kind} must be a number above 0, got ${weight}`,
    );
  }
  const part = rewardPart("feedback", ({ id, verification: { reward, parts } }) => {
    const kinds = Object.keys(parts).map((name) => name.split(":")[0] ?? "");
    if (kinds.some((kind) => Object.hasOwn(weights, kind))) return { total: reward };
    throw new WaggleError(
      "REWARD_UNAVAILABLE",
      `reward feedback needs ${Object.keys(weights).join(" or ")}, got trajectory ${id} without; train only on trajectories with feedback`,
    );
  });
  return { ...part, feedback: weights };
}
