/**
 * `semantic`: a written comparison of a group's rollouts instead of a number. A model behind a port reads
 * winners and losers and proposes edits of an experience library. It is not asked about a group with equal
 * rewards.
 *
 * Source: Cai et al. 2025, "Training-Free Group Relative Policy Optimization", arXiv:2510.08191.
 */
import { boundary, isObject } from "@waggle/protocol";
import { zeroVarianceFilter } from "../filters/group-filter.ts";
import type { Experience, ExperienceEdit } from "../states/experience-library.ts";
import { requireGroup, requireSameLength } from "../statistics.ts";

/** Writes text: any model that answers a prompt. */
export interface WriterPort {
  /** Throws if it cannot answer; honors `signal`. */
  write(prompt: string, signal: AbortSignal): Promise<string>;
}

/** A group with its transcripts, to be compared. */
export type ComparedGroup = {
  readonly request: string;
  /** `[G]` */
  readonly transcripts: readonly string[];
  /** `[G]` */
  readonly rewards: readonly number[];
};

/** The edits that a comparison suggests. */
export type SemanticAdvantage = {
  readonly edits: readonly ExperienceEdit[];
  /** Why there are no edits; `null` if there are some. */
  readonly reason: "no-signal" | "unreadable" | "nothing-to-learn" | null;
};

/** The prompt of the writer. */
function comparisonPrompt(
  { request, transcripts, rewards }: ComparedGroup,
  known: readonly Experience[],
): string {
  const listed = transcripts.map(
    (transcript, i) => `Attempt ${i + 1}, reward ${rewards[i]}:\n${transcript}`,
  );
  const lessons = known.map(({ id, text }) => `${id}: ${text}`);
  return [
    "Compare these attempts at one task. Say what made the better ones better, as short general lessons.",
    `Task:\n${request}`,
    ...listed,
    `Lessons so far:\n${lessons.length === 0 ? "none" : lessons.join("\n")}`,
    'Answer with a JSON array of edits only: {"edit":"add","text":…}, {"edit":"modify","id":…,"text":…}, {"edit":"delete","id":…}. An empty array keeps all.',
  ].join("\n\n");
}

/**
 * Edits that this group suggests.
 *
 * @throws WaggleError `GROUP_TOO_SMALL`, `NON_FINITE_REWARD`; `REWARD_UNAVAILABLE` if the writer fails. An
 *   unreadable answer is data: no edits, reason `unreadable`.
 */
export async function semanticAdvantage(
  writer: WriterPort,
  group: ComparedGroup,
  known: readonly Experience[],
  signal: AbortSignal,
): Promise<SemanticAdvantage> {
  requireGroup(group.rewards);
  requireSameLength("transcripts", group.transcripts.length, "rewards", group.rewards.length);
  if (zeroVarianceFilter()(group.rewards) !== null) return { edits: [], reason: "no-signal" };
  const answer = await boundary("verifier", () =>
    writer.write(comparisonPrompt(group, known), signal),
  );
  const edits = parsedEdits(answer);
  if (edits === null) return { edits: [], reason: "unreadable" };
  return { edits, reason: edits.length === 0 ? "nothing-to-learn" : null };
}

/** The edits in an answer, which may contain text around the array; `null` if an entry is not an edit. */
function parsedEdits(answer: string): ExperienceEdit[] | null {
  const array = /\[[\s\S]*\]/.exec(answer)?.[0];
  if (array === undefined) return null;
  let parsed: unknown;
  try {
    parsed = JSON.parse(array);
  } catch {
    return null;
  }
  const edits = (parsed as unknown[]).map(toEdit);
  return edits.some((edit) => edit === null) ? null : (edits as ExperienceEdit[]);
}

function toEdit(value: unknown): ExperienceEdit | null {
  if (!isObject(value)) return null;
  const { edit, id, text } = value;
  if (edit === "add" && typeof text === "string") return { edit, text };
  if (typeof id !== "string") return null;
  if (edit === "modify" && typeof text === "string") return { edit, id, text };
  return edit === "delete" ? { edit, id } : null;
}
