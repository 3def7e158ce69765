/**
 * An environment in which a recorded request is tried again: tools are never run, and the record answers their calls. It ends
 * with the first text of the policy.
 */
import {
  canonicalJson,
  type Environment,
  type ToolCall,
  type ToolDefinition,
  type ToolResult,
  type Trajectory,
  WaggleError,
} from "@waggle/protocol";

/** One trial at a recorded request. */
export type RecordedAnswers = {
  readonly environment: Environment;
  /** Whether the trial made a call that the record does not answer. It then ends, and shows nothing about the policy. */
  readonly hasEnded: () => boolean;
};

/** Places of calls in a record or a trial, by what happened before. */
class CallPlaces {
  readonly #readOnly: ReadonlySet<string>;
  readonly #changes: string[] = [];

  constructor(readOnly: ReadonlySet<string>) {
    this.#readOnly = readOnly;
  }

  /** Key of the call at this place: its name, its arguments, and all earlier calls that may have changed something. */
  next({ name, arguments: given }: Pick<ToolCall, "name" | "arguments">): string {
    const call = canonicalJson([name, given]);
    const key = canonicalJson([call, ...this.#changes]);
    if (!this.#readOnly.has(name)) this.#changes.push(call);
    return key;
  }
}

/**
 * A fresh trial.
 *
 * @param tools - that the policy may call.
 * @param readOnly - names of tools that change nothing. All others count as changes: the record answers a call only if the
 *   same changes came before it, in the same order.
 */
export function recordedAnswers(
  record: Pick<Trajectory, "turns">,
  tools: readonly ToolDefinition[],
  readOnly: ReadonlySet<string>,
): RecordedAnswers {
  const known = answersOf(record, readOnly);
  const places = new CallPlaces(readOnly);
  let hasEnded = false;
  return {
    hasEnded: () => hasEnded,
    environment: {
      task: null,
      // The request is in the recorded tokens.
      observe: async () => ({ system: "", userMessage: "", tools: [...tools] }),
      step: async ({ toolCalls }) => {
        const toolResults = toolCalls.map((call): ToolResult => {
          const result = known.get(places.next(call));
          if (result !== undefined) return { ...result, callId: call.id };
          hasEnded = true;
          throw new WaggleError(
            "TOOL_UNAVAILABLE",
            `the record does not answer this call of ${call.name}`,
          );
        });
        return { toolResults, terminated: toolCalls.length === 0 };
      },
    },
  };
}

/** The first result of each call at its place. */
function answersOf(
  { turns }: Pick<Trajectory, "turns">,
  readOnly: ReadonlySet<string>,
): ReadonlyMap<string, ToolResult> {
  const places = new CallPlaces(readOnly);
  const answers = new Map<string, ToolResult>();
  for (const { toolCalls, toolResults } of turns) {
    for (const call of toolCalls) {
      const key = places.next(call);
      const result = toolResults.find(({ callId }) => callId === call.id);
      if (result !== undefined && !answers.has(key)) answers.set(key, result);
    }
  }
  return answers;
}
