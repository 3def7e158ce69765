/**
 * `equiv`: an action counts if it is equivalent to the stored one: same tool, same arguments after
 * normalization. Not a string match: order of keys, spelling of numbers and surrounding whitespace do not
 * matter.
 *
 * Source: PivotRL (functional equivalence of tool calls).
 */
import { isObject, type ToolCall, WaggleError } from "@waggle/protocol";
import type { RewardPart } from "../composition/part.ts";
import { rewardPart } from "./reward-part.ts";

/** A JSON value in canonical form: sorted keys, numbers as numbers, trimmed text with single spaces. */
function normalizedArguments(value: unknown): unknown {
  if (typeof value === "string") {
    const text = value.normalize("NFKC").trim().replace(/\s+/gu, " ");
    return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
  }
  if (Array.isArray(value)) return value.map(normalizedArguments);
  if (!isObject(value)) return Object.is(value, -0) ? 0 : value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined && member !== null)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, normalizedArguments(member)]),
  );
}

type Call = Pick<ToolCall, "name" | "arguments">;

/** Whether both calls do the same. */
export function isEquivalentCall(a: Call, b: Call): boolean {
  return (
    a.name === b.name &&
    JSON.stringify(normalizedArguments(a.arguments)) ===
      JSON.stringify(normalizedArguments(b.arguments))
  );
}

/** 1 if the actions contain equivalent calls in any order (calls of one turn run in parallel), else 0. */
export function equivalenceReward(action: readonly Call[], stored: readonly Call[]): number {
  if (action.length !== stored.length) return 0;
  const left = [...stored];
  for (const call of action) {
    const found = left.findIndex((other) => isEquivalentCall(call, other));
    if (found < 0) return 0;
    left.splice(found, 1);
  }
  return 1;
}

/** `equiv`: compares the action at a stored turn with the stored action. */
export function equivalent(): RewardPart {
  return rewardPart("equiv", (trajectory) => {
    const stored = trajectory.branch?.original;
    if (stored === undefined) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `reward equiv needs branches of a stored turn, got ${trajectory.id}; use the rollout part pivot`,
      );
    }
    return {
      total: equivalenceReward(trajectory.turns.at(-1)?.toolCalls ?? [], stored.toolCalls),
    };
  });
}
