/**
 * Where a turn with a call is divided: up to the end of the tool's name it is one role's, from there on
 * another's. A turn without a call, and one whose format does not name tools as JSON does, is the first
 * role's alone; of a turn with several calls the first one counts.
 */
import type { CallRoles } from "@waggle/learning";
import type { ChatFormat } from "@waggle/text";

/** Who goes on, after so many tokens of the turn. */
type CallDivision = { readonly role: string; readonly after: number };

export type CallDivider = {
  /** Who begins every turn. */
  readonly names: string;
  /** Of a turn as far as it is said; `null` while no tool is named. */
  readonly at: (tokenIds: readonly number[]) => CallDivision | null;
};

const NAMED = /"name"\s*:\s*"([^"]+)"/;

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
