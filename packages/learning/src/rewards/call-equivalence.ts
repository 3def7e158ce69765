/**
 * `equiv`: an action counts where it does the same as the stored one: same tool, same arguments after
 * normalization. Not string match: order of keys, spelling of numbers and space around text are free.
 *
 * Source: PivotRL (functional equivalence of tool calls).
 */
import { type ToolCall, WaggleError } from "@waggle/protocol";
import type { RewardPart } from "../composition/part.ts";
import { rewardPart } from "./reward-part.ts";

/** A JSON value in one spelling: sorted keys, numbers as numbers, text trimmed and with single spaces. */
function normalizedArguments(value: unknown): unknown {
  if (typeof value === "string") {
    const text = value.normalize("NFKC").trim().replace(/\s+/gu, " ");
    return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
  }
  if (Array.isArray(value)) return value.map(normalizedArguments);
  if (typeof value !== "object" || value === null) return Object.is(value, -0) ? 0 : value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined && member !== null)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, normalizedArguments(member)]),
  );
}

type Call = Pick<ToolCall, "name" | "arguments">;

/** True where both calls do the same. */
export function isEquivalentCall(a: Call, b: Call): boolean {
  return (
    a.name === b.name &&
    JSON.stringify(normalizedArguments(a.arguments)) ===
      JSON.stringify(normalizedArguments(b.arguments))
  );
}

/** 1 where the actions hold equivalent calls, in any order (calls of one turn run side by side), else 0. */
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

/** `equiv`: the action at a stored turn does what the stored one did, whatever its spelling. */
export function equivalent(): RewardPart {
  return rewardPart("equiv", (trajectory) => {
    const stored = trajectory.branch?.original;
    if (stored === undefined) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `reward equiv needs trajectories that left a stored turn, got ${trajectory.id}; roll out with pivot`,
      );
    }
    return {
      total: equivalenceReward(trajectory.turns.at(-1)?.toolCalls ?? [], stored.toolCalls),
    };
  });
}
