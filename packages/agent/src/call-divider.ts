/**
 * Splits a turn with a tool call between two roles: one samples up to the end of the tool's name, the
 * other the rest. The first role samples the whole turn if it has no call, or if the format does not name
 * tools as JSON does. With several calls, the first one determines the split.
 */
import type { CallRoles } from "@waggle/learning";
import type { ChatFormat } from "@waggle/text";

/** The role that continues, and the number of tokens after which it takes over. */
type CallDivision = { readonly role: string; readonly after: number };

/** Finds where a second role takes over a turn. */
export type CallDivider = {
  /** The role that begins every turn. */
  readonly names: string;
  /** The division of a partial turn; `null` while it names no tool. */
  readonly at: (tokenIds: readonly number[]) => CallDivision | null;
};

const NAMED = /"name"\s*:\s*"([^"]+)"/;

/** Divides calls in the given chat format between the two roles. */
export function callDivider(format: ChatFormat, { names, fills }: CallRoles): CallDivider {
  const toolIn = (tokenIds: readonly number[]): string | undefined =>
    NAMED.exec(format.decodeAssistant(tokenIds))?.[1];
  return {
    names,
    at: (tokenIds) => {
      const tool = toolIn(tokenIds);
      if (tool === undefined) return null;
      let after = 1;
      while (toolIn(tokenIds.slice(0, after)) === undefined) after += 1;
      return { role: fills(tool), after };
    },
  };
}
