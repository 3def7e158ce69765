/**
 * Roles: several policies over one base, each with its own adapter. Who of them speaks, who learns, and
 * whose a token is. Not a driver and not an engine.
 */
import type { TaskReference, ToolResult } from "@waggle/protocol";
import type { JudgedTrajectory } from "./judged-trajectory.ts";

/** What is known before a turn. */
export type TurnPlace = {
  readonly task: TaskReference;
  /** Turns before this one. */
  readonly turn: number;
  /** Of the turn before. */
  readonly results: readonly ToolResult[];
};

/** Whose the two parts of a turn with a call are: who names the tool, and who writes its arguments. */
export type CallRoles = {
  /** Has every turn up to the end of the name, and turns without a call. */
  readonly names: string;
  readonly fills: (tool: string) => string;
};

export type Roles = {
  readonly names: readonly string[];
  /** Those that a stage trains; the others act and stay as they are. */
  readonly learn: readonly string[];
  /**
   * Whose turn it is, where roles share a conversation or the tasks. Absent: a rollout is whose the
   * rollout plan says.
   */
  readonly roleOf?: ((place: TurnPlace) => string) | undefined;
  /** Where the two parts of a call are two roles'; in the place of `roleOf`. */
  readonly divides?: CallRoles | undefined;
  /** Whose the words of the user are, where they are learned too. */
  readonly hears?: string | undefined;
  /** Roles that start as a copy of another role; `policy` is a role too. */
  readonly copies?: { readonly [role: string]: string } | undefined;
  /** Roles that are a moving average of the policy, with the decay of each. */
  readonly averages?: { readonly [role: string]: number } | undefined;
  /** The role that rolls out held-out tasks; default `policy`. */
  readonly deploys?: string | undefined;
};

/** `[turns]` whose each turn of a rollout is. */
export function turnRoles(
  { record: trajectory }: Pick<JudgedTrajectory, "record">,
  roleOf: (place: TurnPlace) => string,
): string[] {
  const { task, turns } = trajectory;
  return turns.map((_, turn) =>
    task === null ? "policy" : roleOf({ task, turn, results: turns[turn - 1]?.toolResults ?? [] }),
  );
}

/**
 * `[T]` whose each token of a sample is: that of its turn, else of the trajectory.
 *
 * @param hears whose the words of the user are; default the trajectory's.
 */
export function tokenOwners(
  { role, turns, samples, record: trajectory }: JudgedTrajectory,
  sample: number,
  hears: string = role,
): string[] {
  const owners = (samples[sample]?.lossMask ?? []).map(() => role);
  if (hears !== role) {
    for (const [start, end] of userSpans({ record: trajectory, samples }, sample)) {
      owners.fill(hears, start, end);
    }
  }
  for (const turn of turns) {
    if (turn.sample !== sample) continue;
    owners.fill(turn.role ?? role, turn.start, turn.end);
    if (turn.fills) owners.fill(turn.fills.role, turn.fills.start, turn.end);
  }
  return owners;
}

/** Where the user speaks in a sample, as [start, end): up to the last turn that it holds. */
export function userSpans(
  { record: { segments }, samples }: Pick<JudgedTrajectory, "record" | "samples">,
  sample: number,
): (readonly [start: number, end: number])[] {
  const byId = new Map(segments.map((segment) => [segment.id, segment]));
  const line: (typeof segments)[number][] = [];
  let segment = samples[sample]?.spans.at(-1)?.segment as (typeof segments)[number] | undefined;
  while (segment !== undefined) {
    line.unshift(segment);
    segment = segment.parent === null ? undefined : byId.get(segment.parent);
  }
  let start = 0;
  return line.flatMap(({ tokenIds, ...said }) => {
    const from = start;
    start += tokenIds.length;
    return said.kind === "given" && said.role === "user" ? [[from, start] as const] : [];
  });
}
