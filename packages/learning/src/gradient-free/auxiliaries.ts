/**
 * Helpers are a fixed set of sentences. Failure statistics choose those that are added to the instruction, so no
 * writer is needed.
 *
 * Source: FAMA, failure-aware meta-agentic framework. Differs from it: a helper is a sentence, not an agent.
 */
import { option, definePart } from "../composition/part-options.ts";
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import type { FilterPart } from "../composition/part.ts";
import type { WritingPart } from "../composition/writing.ts";
import { filterPart, keepTrajectories } from "../filters/filter-part.ts";
import { selectBy } from "../filters/selection.ts";
import { addPrompt, type PromptPopulation } from "../states/prompt-population.ts";

type FailureKind = "unreadable" | "tool-error" | "no-call" | "repeated" | "cut" | "wrong";

/** The kind of a failed rollout: the first one that applies. */
function failureOf({
  turns,
  record: trajectory,
}: Pick<JudgedTrajectory, "turns" | "record">): FailureKind {
  if (turns.some(({ parseError }) => parseError !== null)) return "unreadable";
  if (turns.some(({ toolResults }) => toolResults.some(({ ok }) => !ok))) return "tool-error";
  const calls = turns.flatMap(({ toolCalls }) =>
    toolCalls.map(({ name, arguments: given }) => JSON.stringify([name, given])),
  );
  if (calls.length === 0) return "no-call";
  if (new Set(calls).size < calls.length) return "repeated";
  return trajectory.truncated ? "cut" : "wrong";
}

const HELPERS: { readonly [kind in FailureKind]: string } = {
  unreadable: "Write each call as one JSON object with a name and arguments, and nothing else.",
  "tool-error": "When a call fails, read its message, correct the arguments and call again.",
  "no-call": "Use a tool before you answer.",
  repeated: "Do not make a call twice; use the result that you have.",
  cut: "Answer as soon as you know enough.",
  wrong: "Check the last result against the task before you answer.",
};

/** `student-fail`: the policy's own failures. */
export function ownFailures(): FilterPart {
  return filterPart("student-fail", (groups) =>
    keepTrajectories(groups, (all) =>
      selectBy(all, ({ trajectory }) => (trajectory.verification.success ? "student-can" : null)),
    ),
  );
}

/** `text-edit`: turns on the helpers of failure kinds with at least this share, and turns off the others. */
export function auxiliaries(share?: number): WritingPart<"prompts"> {
  return definePart({ auxiliariesShare: option(share, 0.2) }, ({ auxiliariesShare: share }) => ({
    slot: "loss",
    part: "text-edit",
    needs: ["prompts"],
    asks: false,
    write: (groups, _, { state }) => {
      const failures = groups.flatMap(({ trajectories }) =>
        trajectories.map(({ trajectory }) => failureOf(trajectory)),
      );
      const counts = new Map<FailureKind, number>();
      for (const kind of failures) counts.set(kind, (counts.get(kind) ?? 0) + 1);
      const on = (Object.keys(HELPERS) as FailureKind[]).filter(
        (kind) => (counts.get(kind) ?? 0) >= share * Math.max(1, failures.length),
      );
      const text = on.map((kind) => HELPERS[kind]).join(" ");
      const before = state["prompts"] as PromptPopulation;
      const [now] = before.living;
      if (now === undefined || now.text === text) return { state: { prompts: before }, changes: 0 };
      const { living } = addPrompt(before, text, now.id, true);
      const pruned = before.living.map((prompt) => ({ ...prompt, reason: "pruned" as const }));
      const population = { living: living.slice(-1), archive: [...before.archive, ...pruned] };
      return { state: { prompts: population }, changes: on.length };
    },
  }));
}
