/**
 * Roles: several policies over one base model, each with its own adapter. Decides which role takes a turn,
 * which roles are trained and which role owns a token. Runs no model.
 */
import type { TaskReference, ToolResult } from "@waggle/protocol";
import type { JudgedTrajectory } from "./judged-trajectory.ts";

/** The state of a rollout before a turn. */
export type TurnPlace = {
  readonly task: TaskReference;
  /** Number of turns before this one. */
  readonly turn: number;
  /** Tool calls of the turn before. */
  readonly results: readonly ToolResult[];
};

/** Divides a turn with a tool call: one role names the tool, the other writes its arguments. */
export type CallRoles = {
  /** The role that writes everything up to the tool's name, and turns without a call. */
  readonly names: string;
  readonly fills: (tool: string) => string;
};

/** Several roles that one model, or one adapter each, plays in a stage. */
export type Roles = {
  readonly names: readonly string[];
  /** The roles that the stage trains; the others act and stay frozen. */
  readonly learn: readonly string[];
  /**
   * The role of a turn, if roles share a conversation or divide the tasks. Absent: the rollout strategy names
   * one role for the whole rollout.
   */
  readonly roleOf?: ((place: TurnPlace) => string) | undefined;
  /** Divides tool calls between two roles; replaces `roleOf`. */
  readonly divides?: CallRoles | undefined;
  /** The role that is trained on the user's messages, if one is. */
  readonly hears?: string | undefined;
  /** Roles that start as a copy of another role; `policy` is a role too. */
  readonly copies?: { readonly [role: string]: string } | undefined;
  /** Roles that are a moving average of the policy, with the decay of each. */
  readonly averages?: { readonly [role: string]: number } | undefined;
  /** The role that rolls out held-out tasks; default `policy`. */
  readonly deploys?: string | undefined;
};

/** `[turns]` the role of each turn of a rollout. */
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
 * `[T]` the role that owns each token of a sample: the role of its turn, or else of the trajectory.
 *
 * @param hears the role that owns the user's messages; default: the trajectory's role.
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

/** The user's messages in a sample as ranges [start, end), up to its last turn. */
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
