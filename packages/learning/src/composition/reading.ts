/**
 * What a stage's state gives a rollout to read: a prompt of a population, lessons, a case. The state part
 * chooses; who rolls out puts the text before the task and records what was read. Not a store.
 */
import type { ReadingParts } from "../states/reading-text.ts";

export type ReadingRequest = {
  /** The request, or what came of the last turn. */
  readonly situation: string;
  /** Before the first turn, or after a turn. */
  readonly at: "start" | "turn";
  /** False where the best known counts and not what could be learned: evaluation, pages. */
  readonly explores: boolean;
  /** In [0, 1), seeded. */
  readonly random: () => number;
  /** Whose rollout it is, where several act. */
  readonly role?: string | undefined;
};

/** What one state part gives, and the ids of what it gave. */
export type StateReading = { readonly ids: readonly string[]; readonly parts: ReadingParts };

/** What a rollout was given to read before its first turn, by the state that gave it. */
export type ReadBefore = {
  readonly situation: string;
  readonly ids: { readonly [state: string]: readonly string[] };
};

type Readable = {
  readonly part: string;
  readonly read?: (value: unknown, request: ReadingRequest) => StateReading | null;
};

/** What all state parts of a stage give together; `null` where none gives anything. */
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
