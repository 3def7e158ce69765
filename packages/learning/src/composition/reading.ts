/**
 * Guidance that a stage's state gives a rollout: a prompt of a population, lessons or a case. The state part
 * chooses it. The rollout puts the text before the task and records which entries were used.
 */
import type { ReadingParts } from "../states/reading-text.ts";

export type ReadingRequest = {
  /** The request, or the result of the last turn. */
  readonly situation: string;
  /** Whether it is read before the first turn or after a turn. */
  readonly at: "start" | "turn";
  /** Whether to explore; false in evaluation and in pages, which use the best known entry. */
  readonly explores: boolean;
  /** Seeded random numbers in [0, 1). */
  readonly random: () => number;
  /** The role of the rollout, if there are several. */
  readonly role?: string | undefined;
};

/** The guidance of one state part, and the ids of the entries that it used. */
export type StateReading = { readonly ids: readonly string[]; readonly parts: ReadingParts };

/** The guidance that a rollout got before its first turn, by state name. */
export type ReadBefore = {
  readonly situation: string;
  readonly ids: { readonly [state: string]: readonly string[] };
  /** The text itself; absent = it is not kept. */
  readonly text?: string;
};

type Readable = {
  readonly part: string;
  readonly read?: (value: unknown, request: ReadingRequest) => StateReading | null;
};

/** The combined guidance of all state parts of a stage; `null` if there is none. */
export function readStates(
  states: readonly Readable[],
  values: { readonly [state: string]: unknown },
  request: ReadingRequest,
): { readonly ids: ReadBefore["ids"]; readonly parts: ReadingParts } | null {
  const given = states.flatMap(({ part, read }) => {
    const reading = read?.(values[part], request) ?? null;
    return reading === null ? [] : [{ part, ...reading }];
  });
  if (given.length === 0) return null;
  return {
    ids: Object.fromEntries(given.map(({ part, ids }) => [part, ids])),
    parts: Object.assign({}, ...given.map(({ parts }) => parts)) as ReadingParts,
  };
}
